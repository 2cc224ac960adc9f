import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Infrastructure } from '../../../src/app/infrastructure.js';
import type { Running } from '../../../src/app/start.js';
import { projectPause } from '../../../src/domain/pause/pause.decider.js';
import { project } from '../../../src/domain/project/project.decider.js';
import { newId, newUuid } from '../../../src/kernel/ids.js';
import { Random } from '../../e2e/random.js';
import { until } from '../../e2e/until.js';
import { type ChosenStore, startChosenStore } from '../../support/event-store-server.js';
import { type EventBlock, EventText } from '../../support/event-text.js';
import { TestEnvironment } from '../../support/test-environment.js';
import { OPERATOR_KEY } from './management-harness.js';

const CUTS = process.env.TEST_LONG ? 10_000 : 300;
/** Far above the duration on an idle machine. */
const TIMEOUT_MS = 60_000 + 300 * CUTS;
const READERS = 40;
/** Far below the number of missed changes at which a reader must read everything again. */
const MAX_CHANGES_OF_A_WAVE = 250;

/** Where a connection is cut: by the first of the limits that is reached. */
interface Cut {
  /** From the request, in ms. */
  readonly ms?: number;
  /** From the first bytes of the answer, in ms. */
  readonly msOfAnswer?: number;
  readonly bytes?: number;
}

/** A reader that is cut off again and again, and resumes at either process after the last id that it has read. */
class Reader {
  /** How often each change was seen. */
  readonly seen = new Map<string, number>();
  lastId = '';

  /** @param ownerId null for the changes of all owners */
  constructor(readonly ownerId: string | null) {}

  read(url: string, { ms, msOfAnswer, bytes = Infinity }: Cut): Promise<void> {
    const headers = { authorization: `Bearer ${OPERATOR_KEY}`, ...(this.lastId && { 'last-event-id': this.lastId }) };
    const text = new EventText();
    let left = bytes;
    return new Promise((resolve) => {
      const query = this.ownerId === null ? '' : `?owner_id=${this.ownerId}`;
      const call = request(`${url}/manage/v1/stream${query}`, { headers, agent: false });
      const cutAfter = (limit: number | undefined) =>
        limit === undefined ? undefined : setTimeout(() => call.destroy(), limit);
      const timers = [cutAfter(ms)];
      call.on('response', (response) => {
        response.on('error', () => undefined);
        response.once('data', () => timers.push(cutAfter(msOfAnswer)));
        response.on('data', (chunk: Buffer) => {
          const part = chunk.subarray(0, left);
          left -= part.length;
          for (const block of text.add(part)) this.take(block);
          if (left === 0) call.destroy();
        });
      });
      call.on('error', () => undefined);
      call.on('close', () => {
        timers.forEach(clearTimeout);
        resolve();
      });
      call.end();
    });
  }

  private take({ id, data }: EventBlock): void {
    if (id !== null) this.lastId = id;
    if (data === null) return;
    // A `reset`, after a view was behind on a busy machine, has no ids, and leaves nothing out.
    const { kind, ids } = JSON.parse(data) as { readonly kind: string; readonly ids: readonly string[] };
    for (const key of ids.map((name) => `${kind} ${name}`)) this.seen.set(key, (this.seen.get(key) ?? 0) + 1);
  }
}

/** Two API processes, whose readers are cut off while both write. Each change happens once. */
class CutStreams {
  readonly readers: readonly Reader[];
  /** What has happened, with its owner. */
  readonly changes: { readonly key: string; readonly ownerId: string }[] = [];
  private readonly urls: readonly string[];
  private readonly on: readonly Infrastructure[];

  constructor(
    private readonly random: Random,
    processes: readonly Running[],
    private readonly ownerIds: readonly string[],
  ) {
    const scopes = [null, ...ownerIds];
    this.readers = Array.from({ length: READERS }, (_, i) => new Reader(scopes[i % scopes.length]!));
    this.urls = processes.map(({ settings }) => settings.baseUrl);
    this.on = processes.map(({ infrastructure }) => infrastructure);
  }

  /** Lets all readers read where the log ends. */
  async start(): Promise<void> {
    await Promise.all(
      this.readers.map(async (reader) => {
        while (reader.lastId === '') await reader.read(this.anyUrl(), { bytes: 40 });
      }),
    );
  }

  /**
   * Lets each reader be cut off up to ten times while changes happen, then all are away for a moment. Returns the number
   * of cuts.
   */
  async runWave(): Promise<number> {
    const { random } = this;
    let cuts = 0;
    let isOver = false;
    const reading = this.readers.map(async (reader) => {
      for (let left = random.below(11); left > 0; left--, cuts++) {
        await sleep(random.below(20));
        await reader.read(this.anyUrl(), this.anyCut());
      }
    });
    const writing = this.write(() => isOver);
    await Promise.all(reading);
    isOver = true;
    await writing;
    return cuts;
  }

  /** Lets a reader read until it has seen everything, for at most a minute. */
  async finish(reader: Reader): Promise<void> {
    const expected = this.expectedOf(reader);
    for (let tries = 0; tries < 120 && !expected.every((key) => reader.seen.has(key)); tries++)
      await reader.read(this.anyUrl(), { msOfAnswer: 500 });
  }

  /** Lists what a reader has not seen exactly once. */
  findFaults(reader: Reader): readonly string[] {
    const wrong = this.expectedOf(reader).filter((key) => reader.seen.get(key) !== 1);
    return wrong.map((key) => `${key}: ${reader.seen.get(key) ?? 0} times`);
  }

  private expectedOf({ ownerId: own }: Reader): readonly string[] {
    return this.changes.filter(({ ownerId }) => own === null || ownerId === own).map(({ key }) => key);
  }

  private anyUrl(): string {
    return this.urls[this.random.below(2)]!;
  }

  private anyCut(): Cut {
    const { random } = this;
    const kind = random.below(4);
    if (kind === 0) return { ms: random.below(10) };
    if (kind === 1) return { msOfAnswer: 120, bytes: 1 + random.below(1_500) };
    return { msOfAnswer: random.below(kind === 2 ? 10 : 120) };
  }

  /** Makes changes, alone and in bursts. */
  private async write(isOver: () => boolean): Promise<void> {
    const { random } = this;
    for (let count = 0; !isOver() && count < MAX_CHANGES_OF_A_WAVE;) {
      const burst = random.below(3) === 0 ? 10 : 1;
      count += 2 * burst;
      await Promise.all(Array.from({ length: burst }, () => this.createAndPause()));
      await sleep(random.below(20));
    }
  }

  private async createAndPause(): Promise<void> {
    const { random, on, ownerIds } = this;
    const origin = { actor: 'test', requestId: '', causationId: '', correlationId: '', clientAddress: null };
    const context = () => ({ ...origin, commandId: newUuid(), at: 0 });
    const [projectId, ownerId] = [newId('prj'), ownerIds[random.below(ownerIds.length)]!];
    const create = { type: 'CreateProject', projectId, ownerId, name: 'News', channelIds: [], processing: {} } as const;
    await on[random.below(2)]!.aggregates.execute(project, projectId, create, context());
    this.changes.push({ key: `project ${projectId}`, ownerId });
    const how = { minutes: 1, minuteMs: 60_000, source: 'temp-pause', postId: null } as const;
    const pause = { type: 'PauseProject', at: 0, projectId, ...how } as const;
    await on[random.below(2)]!.aggregates.execute(projectPause, projectId, pause, context());
    this.changes.push({ key: `project-pause ${projectId}`, ownerId });
  }
}

describe('streams of two API processes', () => {
  let chosen: ChosenStore;
  let environment: TestEnvironment<Record<string, never>>;
  let processes: readonly Running[];
  const random = new Random();

  beforeAll(async () => {
    const startNetworks = () => Promise.resolve({});
    chosen = await startChosenStore();
    environment = await TestEnvironment.start({ startNetworks, operatorKey: OPERATOR_KEY, env: chosen.settings });
    await environment.startProcess({ roles: 'worker' });
    processes = [await environment.startProcess({ roles: 'api' }), await environment.startProcess({ roles: 'api' })];
    await until('the read models exist', async () => (await call('GET', '/posts')).status === 200);
  });
  afterAll(async () => {
    await environment?.stop();
    await chosen?.stop();
  });

  const call = (method: string, path: string, body?: object): Promise<Response> =>
    fetch(`${processes[1]!.settings.baseUrl}/manage/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${OPERATOR_KEY}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
  const createOwner = async (): Promise<string> => {
    const response = await call('POST', '/owners', { name: 'Acme', plan: 'business' });
    return ((await response.json()) as { id: string }).id;
  };

  it(
    `tell readers of each change once, over ${CUTS} random cuts (SEED=${random.seed})`,
    async () => {
      const streams = new CutStreams(random, processes, [await createOwner(), await createOwner()]);
      await streams.start();
      for (let cuts = 0; cuts < CUTS;) cuts += await streams.runWave();
      await Promise.all(streams.readers.map((reader) => streams.finish(reader)));
      expect(streams.changes.length).toBeGreaterThan(CUTS / 10);
      expect(streams.readers.flatMap((reader) => streams.findFaults(reader))).toEqual([]);
    },
    TIMEOUT_MS,
  );
});
