import type { RecordedEvent } from '../../../src/kernel/events.js';
import { newUuid } from '../../../src/kernel/ids.js';
import { KEPT_REQUESTS, requestLog } from '../../../src/projections/request-log/request-log.projection.js';
import { samples } from '../../domain/samples.js';
import { Random } from '../../e2e/random.js';
import { startTestPostgres, type TestPostgres } from '../../support/postgres.js';
import { createEmptyTables } from '../publish-schedule/empty-tables.js';

const HISTORIES = process.env.TEST_LONG ? 100 : 10;
const START = 1_800_000_000_000;
const ENDPOINTS = ['ep_1', 'ep_2', 'ep_3'];
const KINDS = ['post', 'skipped', 'refused', 'slow'];

let postgres: TestPostgres;
beforeAll(async () => (postgres = await startTestPostgres()));
afterAll(() => postgres.stop());

interface Entry {
  readonly id: string;
  readonly endpointId: string;
  readonly at: number;
  readonly position: bigint;
  readonly place: number;
}

/**
 * Random requests of all kinds with random pauses. An event is appended for an accepted post at once, and for the other
 * requests in batches, some time after posts that arrived later. The answer to a slow request, and so its entry, may come
 * after those of many requests that arrived after it.
 */
const generateRequests = (random: Random) => {
  const events: RecordedEvent[] = [];
  const entries: Entry[] = [];
  const pending = new Map<string, { id: string; at: number }[]>();
  const slow: { id: string; at: number; endpointId: string }[] = [];
  const mix = KINDS.map(() => random.next());
  let now = START;

  const add = (type: string, id: string, data: object): bigint => {
    const position = BigInt(events.length);
    const sample = samples[type]!.at(-1) as object;
    const [revision, eventId] = [position, newUuid()]; // of a stream with gaps, which changes nothing here
    events.push({
      type,
      id: eventId,
      revision,
      position,
      requestId: id,
      data: { ...sample, ...data },
    } as unknown as RecordedEvent);
    return position;
  };
  const write = (endpointId: string): void => {
    const requests = pending.get(endpointId) ?? [];
    if (requests.length === 0) return;
    const [sample] = (samples.RequestsLogged!.at(-1) as { requests: object[] }).requests;
    const logged = requests.map(({ id, at }) => ({ ...sample, request_id: id, at }));
    const position = add('RequestsLogged', '', { endpointId, requests: logged });
    requests.forEach(({ id, at }, place) => entries.push({ id, endpointId, at, position, place }));
    pending.set(endpointId, []);
  };
  const choose = (): string => {
    let rest = random.next() * mix.reduce((sum, weight) => sum + weight, 0);
    return KINDS.find((_, i) => (rest -= mix[i]!) < 0)!;
  };
  const answer = (endpointId: string, request: { id: string; at: number }): void => {
    const requests = pending.get(endpointId) ?? [];
    pending.set(endpointId, [...requests, request]);
    if (requests.length >= 50) write(endpointId);
  };

  for (let n = 0; n < 700; n++) {
    now += [0, 0, 1, 5, 30, 300][random.below(6)]!;
    const endpointId = ENDPOINTS[random.below(ENDPOINTS.length)]!;
    const id = `req_${n}`;
    const kind = choose();
    if (kind === 'refused') answer(endpointId, { id, at: now });
    else if (kind === 'slow') slow.push({ id, at: now, endpointId });
    else {
      const position = add(kind === 'post' ? 'PostAccepted' : 'PostSkipped', id, { endpointId, acceptedAt: now });
      entries.push({ id, endpointId, at: now, position, place: 0 });
    }
    if (random.below(40) === 0) for (const { endpointId, ...one } of slow.splice(0)) answer(endpointId, one);
    if (random.below(12) === 0) ENDPOINTS.forEach(write);
  }
  for (const { endpointId, ...one } of slow) answer(endpointId, one);
  ENDPOINTS.forEach(write);
  return { events, entries };
};

const findNewest = (entries: readonly Entry[], endpointId: string): string[] =>
  entries
    .filter((entry) => entry.endpointId === endpointId)
    .sort((a, b) => b.at - a.at || Number(b.position - a.position) || b.place - a.place)
    .slice(0, KEPT_REQUESTS)
    .map(({ id }) => id);

const first = new Random().seed;
it.each(Array.from({ length: HISTORIES }, (_, i) => (first + i) % 2 ** 31))(
  'the request log keeps exactly the newest requests by time, however their entries were written (seed %i)',
  async (seed) => {
    const random = new Random(seed);
    const { events, entries } = generateRequests(random);
    const { client } = await createEmptyTables(postgres, requestLog, seed);
    try {
      for (let from = 0; from < events.length;) {
        const size = 1 + random.below([2, 30, 400][random.below(3)]!);
        await requestLog.apply(client, events.slice(from, from + size));
        from += size;
      }
      for (const endpointId of ENDPOINTS) {
        const { rows } = await client.query<{ request_id: string }>(
          'select request_id from request where endpoint_id = $1 order by at desc, position desc, place desc',
          [endpointId],
        );
        expect(rows.map(({ request_id }) => request_id)).toEqual(findNewest(entries, endpointId));
      }
    } finally {
      await client.end();
    }
  },
);
