import { ChangeChannel } from '../../../src/commands/channel.js';
import type { CommandContext } from '../../../src/commands/command.js';
import { storeTranslation as storeResult } from '../../../src/commands/translation.js';
import { type ErasureNote, ErasureNotes } from '../../../src/erasure/erasure-notes.js';
import { BEGINNING, NotAppended, Unavailable } from '../../../src/event-store/port.js';
import { newUuid } from '../../../src/kernel/ids.js';
import { silentLog } from '../../../src/kernel/log.js';
import {
  payloadErasures,
  type StreamErasureDependencies,
  translationErasures,
} from '../../../src/sagas/erase-replaced/due-erasures.js';
import { eraseDue, type ErasureKind, unnamedSecrets } from '../../../src/sagas/erase-replaced/erase-replaced.js';
import { postIdOf } from '../../e2e/client.js';
import { until } from '../../e2e/until.js';
import { KurrentServer } from '../../support/kurrent-server/kurrent-server.js';
import { PublishingHarness } from '../publish-due-posts/publishing-harness.js';
import type { TestChannel } from '../publish-due-posts/test-channel.js';

let harness: PublishingHarness;
let deps: StreamErasureDependencies;

const query = async <T>(text: string, values: readonly unknown[] = []): Promise<T[]> =>
  (await harness.infrastructure.pool.query(text, [...values])).rows as T[];
const isStored = async (stream: string) => (await deps.store.readStream(stream, { limit: 1 })).length > 0;
const findNotes = (kind: string) =>
  query<{ subject: string }>('select subject from ops_erasure where kind = $1 order by noted_at', [kind]);
const makeDue = (kind: string) => query('update ops_erasure set due_at = now() where kind = $1', [kind]);

const contextOf = (commandId = newUuid()): CommandContext => ({
  commandId,
  at: Date.now(),
  actor: 'operator',
  requestId: 'req_1',
  clientAddress: null,
  causationId: commandId,
  correlationId: commandId,
});

/** The process ends here. As after an outage, nothing more of the batch is done. */
class Killed extends Unavailable {}

/** Counts all method calls, and ends the process before or after one of them. */
class Kill {
  calls = 0;

  constructor(
    private readonly at = Infinity,
    private readonly when: 'before' | 'after' = 'before',
  ) {}

  get isOver(): boolean {
    return this.calls > this.at;
  }

  wrap<T extends object>(target: T): T {
    return new Proxy(target, {
      get: (inner, name) => {
        const value: unknown = Reflect.get(inner, name);
        if (typeof value !== 'function') return value;
        return async (...args: unknown[]) => {
          const call = this.calls++;
          if (call === this.at && this.when === 'before') throw new Killed('killed');
          const result: unknown = await value.apply(inner, args);
          if (call === this.at) throw new Killed('killed');
          return result;
        };
      },
    });
  }
}

const sweep = <T>(work: ErasureKind<T>) => eraseDue(work, 100, new AbortController().signal, silentLog);

/**
 * Sweeps with a process that ends at its first call, then with one that ends at its second call, and so on until one
 * does all its work; after each of them, everything that must be kept is there.
 */
const sweepKilled = async <T>(
  createWork: (kill: Kill) => ErasureKind<T>,
  makeAllDue: () => Promise<unknown>,
  check: () => Promise<void>,
) => {
  for (const when of ['before', 'after'] as const)
    for (let at = 0, isOver = true; isOver; at++) {
      await makeAllDue();
      const kill = new Kill(at, when);
      await sweep(createWork(kill)).catch((error: unknown) => expect(error).toBeInstanceOf(Killed));
      isOver = kill.isOver;
      await check();
    }
};
const killed = (create: (deps: StreamErasureDependencies) => ErasureKind<ErasureNote>) => (kill: Kill) => {
  const { pool, notes, store, codec } = deps;
  return create({ pool: kill.wrap(pool), notes: kill.wrap(notes), store: kill.wrap(store), codec });
};

describe.each(['PostgreSQL', 'KurrentDB'])('events in %s', (kind) => {
  let server: KurrentServer | null = null;
  beforeAll(async () => {
    if (kind === 'KurrentDB') server = await KurrentServer.start();
    harness = await PublishingHarness.start(server ? { EVENT_STORE_URL: server.connectionString } : {});
    const { infrastructure } = harness;
    const { pool, store, codec, leases } = infrastructure;
    deps = { pool, store, codec, notes: new ErasureNotes(pool) };
    // The tests sweep themselves, so they keep the worker waiting for the lease.
    await leases.start();
    await leases.acquire('erase-due', new AbortController().signal);
    await harness.startWorker();
  });
  afterAll(async () => {
    await harness.stop();
    await server?.stop();
  });

  describe('parts of payloads (D-42)', () => {
    const large = (text: string) => ({ text, metadata: { filler: 'x'.repeat(700_000) } });
    const readText = (id: string) =>
      until(
        `${id} is shown`,
        async () => (await harness.manage.get<{ payload: { text: string } }>(`/posts/${id}`)).payload.text,
      );

    it('are erased only if no post was accepted with them, at whatever point the process ends', async () => {
      const channel = await harness.createChannel('telegram');
      const { store } = harness.infrastructure;
      const append = store.append.bind(store);
      store.append = async (stream, ...rest) => {
        if (stream.startsWith('post-')) throw new NotAppended('refused');
        return append(stream, ...rest);
      };
      const refused = [
        await channel.post(large('with a key'), { 'idempotency-key': 'a' }),
        await channel.post(large('without a key')),
      ];
      store.append = append;
      expect(refused.map(({ status }) => status)).toEqual([503, 503]);
      const orphans = (await findNotes('payload')).map(({ subject }) => subject);
      expect(orphans).toHaveLength(2);
      const accepted = [
        await channel.post(large('with a key'), { 'idempotency-key': 'a' }),
        await channel.post(large('without a key')),
        await channel.post({ ...large('two keys'), external_id: 'c' }, { 'idempotency-key': 'b' }),
        await channel.post({ ...large('external id'), external_id: 'd' }),
      ];
      expect(accepted.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
      const kept = accepted.map((answer) => `payload-${postIdOf(answer)}`);
      expect((await findNotes('payload')).map(({ subject }) => subject)).toEqual([...orphans, ...kept]);

      expect(await sweep(payloadErasures(deps))).toBe(false); // nothing is due yet
      for (const stream of [...orphans, ...kept]) expect(await isStored(stream)).toBe(true);
      await sweepKilled(
        killed(payloadErasures),
        () => makeDue('payload'),
        async () => {
          for (const stream of kept) expect(await isStored(stream)).toBe(true);
        },
      );
      for (const stream of orphans) expect(await isStored(stream)).toBe(false);
      await server?.sendCommand({ command: 'scavenge' });
      const inLog = (await store.readAll({ after: BEGINNING, limit: 10_000 })).map(({ stream }) => stream);
      for (const stream of orphans) expect(inLog).not.toContain(stream);
      expect(await findNotes('payload')).toEqual([]);
      expect(await Promise.all(accepted.map((answer) => readText(postIdOf(answer))))).toEqual([
        ...['with a key', 'without a key', 'two keys', 'external id'],
      ]);
    });

    it('are looked at soon if a part cannot be stored, or another request with the key came first', async () => {
      const channel = await harness.createChannel('telegram');
      const { store } = harness.infrastructure;
      const append = store.append.bind(store);
      const dueSoon = () =>
        query<{ subject: string }>(
          `select subject from ops_erasure where kind = 'payload' and due_at < now() + interval '10 minutes'`,
        );
      await query(`delete from ops_erasure where kind = 'payload'`);
      store.append = async (stream, expected, ...rest) => {
        if (stream.startsWith('payload-') && expected !== 'noStream') throw new NotAppended('refused');
        return append(stream, expected, ...rest);
      };
      expect((await channel.post(large('without its second part'))).status).toBe(503);
      store.append = append;
      expect(await dueSoon()).toHaveLength(1);

      // Both requests find their key new.
      const answers = await Promise.all(
        [1, 2].map(() => channel.post(large('at the same time'), { 'idempotency-key': 'same' })),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 202]);
      const [accepted] = answers.map(postIdOf);
      const unneeded = (await dueSoon()).map(({ subject }) => subject);
      expect(unneeded).not.toContain(`payload-${accepted}`);
      await makeDue('payload');
      await sweep(payloadErasures(deps));
      for (const stream of unneeded) expect(await isStored(stream)).toBe(false);
      expect(await readText(accepted!)).toBe('at the same time');
    });

    it('are kept if a reservation leads to the acceptance, and while the streams cannot be read', async () => {
      const event = (type: string, data: object) => ({
        id: newUuid(),
        type,
        data: JSON.stringify(data),
        metadata: '{"version":1}',
      });
      const place = { stream: 'post-reserved', revision: 0 };
      await deps.store.append('post-own', 'noStream', [event('PostKeyReserved', { endpointId: 'ep_1', place, at: 0 })]);
      await deps.store.append('post-reserved', 'noStream', [event('PostSkipped', { mentions: 'post_reserved' })]);
      const broken = { ...event('PostKeyReserved', {}), metadata: '{"version":99}' };
      await deps.store.append('post-broken', 'noStream', [broken]);
      for (const [id, stream] of [
        ['post_reserved', 'post-own'],
        ['post_broken', 'post-broken'],
      ] as const) {
        await deps.store.append(`payload-${id}`, 'noStream', [event('PayloadPartStored', {})]);
        await deps.notes.add('payload', `payload-${id}`, { inMs: 0 }, [stream]);
      }
      await sweep(payloadErasures(deps));
      expect(await isStored('payload-post_reserved')).toBe(true);
      expect(await isStored('payload-post_broken')).toBe(true);
      expect(await findNotes('payload')).toEqual([{ subject: 'payload-post_broken' }]);
      expect(await deps.notes.findDue('payload', 1)).toEqual([]); // tried again in an hour
    });
  });

  describe('translations of a post (D-28)', () => {
    const store = (postId: string, name: string) => {
      const result = { kind: 'translated', text: 'a secret text', places: [] } as const;
      const translation = { translationId: `${postId}_${name}`, postId, result };
      return storeResult(harness.infrastructure.aggregates, contextOf(), translation);
    };
    const storeTranslation = async (postId: string, name: string): Promise<string> => {
      const stream = `translation-${postId}_${name}`;
      await store(postId, name);
      await until('its note', async () => (await findNotes('translation')).some(({ subject }) => subject === stream));
      return stream;
    };
    const sweepAll = async () => {
      await makeDue('translation');
      await sweep(translationErasures(deps));
    };
    const publishPaused = async (channel: TestChannel) => {
      await harness.manage.post(`/channels/${channel.channelId}/pause`, { minutes: 1_440 });
      return postIdOf(await channel.post({ text: 'first' }));
    };
    const publicationOf = (postId: string) =>
      until(
        `${postId} has its publication`,
        async () =>
          (await harness.manage.get<{ publications: { id: string; state: string }[] }>(`/posts/${postId}`))
            .publications[0],
      );

    it('are erased only after the post is published, at whatever point the process ends', async () => {
      const channel = await harness.createChannel('telegram');
      const postId = await publishPaused(channel);
      const streams = [await storeTranslation(postId, 'a'), await storeTranslation(postId, 'b')];
      await makeDue('translation');
      await sweep(translationErasures(deps));
      for (const stream of streams) expect(await isStored(stream)).toBe(true);
      expect(await deps.notes.findDue('translation', 1)).toEqual([]); // looked at again later
      await harness.manage.post(`/channels/${channel.channelId}/resume`, {});
      await until('the post is out', async () => (await publicationOf(postId)).state === 'published');
      await sweepKilled(
        killed(translationErasures),
        () => makeDue('translation'),
        async () => undefined,
      );
      for (const stream of streams) expect(await isStored(stream)).toBe(false);
      expect(await findNotes('translation')).toEqual([]);
      // A slow worker stores another one. KurrentDB refuses it.
      if (kind === 'KurrentDB') expect(await store(postId, 'a')).toBeNull();
      else {
        await storeTranslation(postId, 'a');
        await sweepAll();
      }
      for (const stream of streams) expect(await isStored(stream)).toBe(false);
    });

    it('are erased after the post is taken back', async () => {
      const channel = await harness.createChannel('telegram');
      const postId = postIdOf(await channel.post({ text: 'wrong' }));
      await until('the post is out', async () => (await publicationOf(postId)).state === 'published');
      const stream = await storeTranslation(postId, 'a');
      await harness.manage.post(`/posts/${postId}/withdraw`, {});
      await until('the post is gone', async () => (await publicationOf(postId)).state === 'withdrawn');
      await sweepAll();
      expect(await isStored(stream)).toBe(false);
    });

    it('are kept while the owner may send the post again', async () => {
      const channel = await harness.createChannel('telegram');
      const postId = await publishPaused(channel);
      const stream = await storeTranslation(postId, 'a');
      await harness.manage.patch(`/channels/${channel.channelId}`, { enabled: false });
      const { id } = await publicationOf(postId);
      const { channelId } = channel;
      const ids = { publicationId: id, postId, channelId };
      const error = { code: 'x', category: 'platform', source: 'telegram', message: 'x' };
      const { aggregates } = harness.infrastructure;
      const failed = { type: 'PublicationFailed', data: { ...ids, attempt: 1, at: Date.now(), error } };
      const { events } = await aggregates.encodeEvents(
        `publication-${id}`,
        [failed],
        { revision: -1n, position: 0n, hash: '' },
        contextOf(),
      );
      await deps.store.append(`publication-${id}`, 'noStream', events);
      await until('it has failed', async () => (await publicationOf(postId)).state === 'failed');
      await sweepAll();
      expect(await isStored(stream)).toBe(true);
      await harness.manage.post(`/publications/${id}/dismiss`, {});
      await sweepAll();
      expect(await isStored(stream)).toBe(false);
    });
  });

  describe('secrets that no event names', () => {
    const makeChecked = () => query('update ops_secret set check_at = now() where check_at is not null');
    const hasSecret = async (id: string) =>
      (await query('select 1 from ops_secret where secret_id = $1', [id])).length > 0;
    const killedWork = (kill: Kill) => unnamedSecrets(kill.wrap(harness.infrastructure.vault), kill.wrap(deps.store));

    it('are erased after an hour, and named ones are kept, at whatever point the process ends', async () => {
      const { vault, aggregates } = harness.infrastructure;
      const channel = await harness.createChannel('telegram');
      const [connected] = await harness.readEvents(`channel-${channel.channelId}`);
      const { credentialsId } = connected!.data as { credentialsId: string };
      const before = new Set(
        (await query<{ id: string }>('select secret_id as id from ops_secret')).map(({ id }) => id),
      );
      const credentials = { address: { chat_id: '1' }, secret: { bot_token: 'x' } };
      const rejected = await new ChangeChannel(aggregates, vault).execute(contextOf(), 'tgt_unknown', {
        credentials,
      });
      expect(rejected).toMatchObject({ rejection: 'not_found' });
      const [orphan] = (await query<{ id: string }>('select secret_id as id from ops_secret')).filter(
        ({ id }) => !before.has(id),
      );
      const crashed = await vault.storeSecret({ bot_token: 'y' }, `channel-${channel.channelId}`);
      const shownOnce = await vault.storeSecret({ token: 'z' }, null);
      await sweep(unnamedSecrets(vault, deps.store)); // nothing is due yet
      for (const id of [orphan!.id, crashed, shownOnce, credentialsId]) expect(await hasSecret(id)).toBe(true);
      await sweepKilled(killedWork, makeChecked, async () => expect(await hasSecret(credentialsId)).toBe(true));
      for (const id of [orphan!.id, crashed, shownOnce]) expect(await hasSecret(id)).toBe(false);
      expect(await query('select secret_id from ops_secret where check_at is not null')).toEqual([]);
      const id = await channel.publish({ text: 'after' });
      await channel.waitForState(id, 'published');
    });

    it('are kept if they are stored once more while they are looked at', async () => {
      const { vault } = harness.infrastructure;
      const id = await vault.storeSecret({ token: 'a' }, 'channel-tgt_none');
      await makeChecked();
      const [found] = await vault.findUnconfirmed(1);
      expect(found).toMatchObject({ id, stream: 'channel-tgt_none' });
      await vault.storeSecret({ token: 'a' }, 'channel-tgt_none', id);
      await vault.eraseUnconfirmed(found!);
      await vault.confirm(found!);
      expect(await hasSecret(id)).toBe(true);
      expect(await vault.findUnconfirmed(1)).toEqual([]);
      expect(await query('select 1 from ops_secret where check_at is null and secret_id = $1', [id])).toEqual([]);
    });
  });
});
