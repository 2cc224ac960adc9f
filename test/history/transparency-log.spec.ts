import { LogTables } from '../../src/history/transparency-log/log-tables.js';
import { verifyHistory } from '../../src/history/transparency-log/verify-history.js';
import { deriveHistoryKeys } from '../../src/secrets/key-ring.js';
import {
  type Caller,
  createChannel,
  createOwner,
  createProject,
  type ManagementHarness,
  operatorCaller,
  startHarness,
  type TestOwner,
} from '../api/management/management-harness.js';
import { Random } from '../e2e/random.js';
import { until } from '../e2e/until.js';
import { SECRETS_KEY } from '../support/test-environment.js';
import { FORGERIES, withForgery } from './forgeries.js';
import { copyHistory, type HistoryCopy } from './history-copy.js';
import { leafHash, openNote, rootOf, splitBundle, verifyProof } from './offline-verifier.js';
import { verifyProofElsewhere } from './other-verifier.js';

const random = new Random();
const FORGED = process.env.TEST_LONG ? 20 : 2;

describe('the transparency log', () => {
  let harness: ManagementHarness;
  let operator: Caller;
  let owner: TestOwner;
  let other: TestOwner;
  let channel: string;
  let vkey: string;
  beforeAll(async () => {
    harness = await startHarness();
    operator = operatorCaller(harness);
    [owner, other] = [await createOwner(harness), await createOwner(harness)];
    for (let i = 0; i < 4; i++) {
      const { id } = await createChannel(owner);
      const project = await createProject(owner, [id]);
      for (let n = 0; n < 18; n++) {
        await owner.caller.patch(`/channels/${id}`, { name: `Name ${n}` }).expect(200);
        await owner.caller.post(
          `/projects/${project}/${n % 2 === 0 ? 'pause' : 'resume'}`,
          n % 2 === 0 ? { minutes: 9 } : {},
        );
      }
      channel = id;
    }
    vkey = (await operator.get('/history/log/key').expect(200)).body.vkey as string;
  }, 300_000);
  afterAll(() => harness.stop());

  const countEvents = async (): Promise<number> => {
    const { rows } = await harness.running.infrastructure.pool.query<{ n: number }>(
      'select count(*)::int as n from event_store.event',
    );
    return rows[0]!.n;
  };
  const readCheckpoint = async (): Promise<string> => (await operator.get('/history/log/checkpoint').expect(200)).text;
  /** Returns a checkpoint that covers every event. */
  const catchUp = async (): Promise<string> => {
    const events = await countEvents();
    await until('the log covers all events', async () => openNote(await readCheckpoint(), vkey).size >= events);
    return readCheckpoint();
  };
  const readBytes = async (path: string): Promise<Buffer> =>
    (await operator.get(path).responseType('blob').expect(200)).body as Buffer;
  const readEntries = async (size: number): Promise<Buffer[]> => {
    const entries: Buffer[] = [];
    for (let n = 0; n * 256 < size; n++) {
      const width = Math.min(256, size - n * 256);
      const path = `/history/log/tile/entries/${String(n).padStart(3, '0')}${width < 256 ? `.p/${width}` : ''}`;
      entries.push(...splitBundle(await readBytes(path)));
    }
    return entries;
  };
  const verify = async (body: object = {}) => {
    const { body: job } = await operator.post('/history/verify', body).expect(202);
    let ended = job;
    await until('the verification has ended', async () => {
      ended = (await operator.get(`/jobs/${job.id}`).expect(200)).body;
      return ended.state !== 'running';
    });
    expect(ended).toMatchObject({ kind: 'verify-history', state: 'done', progress: 1, eta_seconds: null });
    return ended.result;
  };

  it('is verified offline: signature, entries, tiles and root', async () => {
    const checkpoint = await catchUp();
    const { size, root, origin } = openNote(checkpoint, vkey);
    expect(origin).toMatch(/^127\.0\.0\.1:\d+\/history$/);
    const entries = await readEntries(size);
    expect(entries).toHaveLength(size);
    expect(rootOf(entries.map(leafHash)).toString('base64')).toBe(root.toString('base64'));
    const width = Math.min(256, size);
    const tile = await readBytes(`/history/log/tile/0/000${width < 256 ? `.p/${width}` : ''}`);
    expect(tile.equals(Buffer.concat(entries.slice(0, width).map(leafHash)))).toBe(true);
    await operator.get('/history/log/tile/0/999').expect(404);
    await operator.get('/history/log/tile/0/x000/000').expect(404);
    await owner.caller.get('/history/log/tile/0/000').expect(403);
  });

  it('proves an event to its owner, offline', async () => {
    const { body } = await owner.caller.get(`/history/channel/${channel}`).expect(200);
    for (const { id, revision, hash } of body.events.slice(0, 3)) {
      const { text, headers } = await owner.caller.get(`/history/log/proof/${id}`).expect(200);
      expect(headers['content-type']).toBe('text/plain; charset=utf-8');
      const entry = `channel-${channel}\n${revision}\n${hash}\n`;
      verifyProof(text, Buffer.from(entry), vkey);
      verifyProofElsewhere(text, Buffer.from(entry), vkey);
      expect(() => verifyProof(text, Buffer.from(`${entry}x`), vkey)).toThrow('does not lead to the root');
      await other.caller.get(`/history/log/proof/${id}`).expect(404);
    }
    await owner.caller.get('/history/log/proof/no-id').expect(404);
  });

  it('shows a growing tree: every earlier checkpoint names a part of the later one', async () => {
    const first = openNote(await catchUp(), vkey);
    await owner.caller.patch(`/channels/${channel}`, { name: 'Later' }).expect(200);
    const later = openNote(await catchUp(), vkey);
    expect(later.size).toBeGreaterThan(first.size);
    const leaves = (await readEntries(later.size)).map(leafHash);
    expect(rootOf(leaves.slice(0, first.size)).equals(first.root)).toBe(true);
    expect(rootOf(leaves).equals(later.root)).toBe(true);
  });

  it('verifies an intact history, and a checkpoint of the past', async () => {
    const checkpoint = await catchUp();
    await owner.caller.patch(`/channels/${channel}`, { name: 'Later still' }).expect(200);
    const events = await countEvents();
    expect(await verify({ checkpoint })).toEqual({ events, broken: [], checkpoint: 'consistent' });
    expect(await verify()).toEqual({ events, broken: [], checkpoint: null });
    const one = await verify({ aggregate: 'channel', id: channel, checkpoint });
    expect(one).toEqual({ events: 21, broken: [], checkpoint: 'consistent' });
    expect((await verify({ aggregate: 'channel' })).events).toBeGreaterThan(75);
  });

  it('rejects requests that cannot be verified, and all callers except the operator', async () => {
    await owner.caller.post('/history/verify', {}).expect(403);
    await owner.caller.get('/jobs').expect(403);
    const wrong = async (body: object, path: string) =>
      expect((await operator.post('/history/verify', body).expect(422)).body.details).toMatchObject([{ path }]);
    await wrong({ checkpoint: (await readCheckpoint()).replace('history\n', 'history\n1') }, 'checkpoint');
    await wrong({ checkpoint: 'no checkpoint' }, 'checkpoint');
    await wrong({ id: channel }, 'id');
    await wrong({ aggregate: 'webhook' }, 'aggregate');
    await operator.post('/history/verify', { aggregate: 'channel', id: 'tgt_unknown' }).expect(404);
    const { body } = await operator.get('/jobs?state=done&limit=1').expect(200);
    expect(body.items).toHaveLength(1);
    expect(
      (await operator.get(`/jobs?limit=1&cursor=${body.next}`).expect(200)).body.items[0].id < body.items[0].id,
    ).toBe(true);
    await operator.get('/jobs/job_unknown').expect(404);
  });

  it('refuses a checkpoint of another history', async () => {
    await catchUp();
    const { pool } = harness.running.infrastructure;
    const { rows } = await pool.query<{ checkpoint: string }>('select checkpoint from ops_history_log');
    const checkpoint = rows[0]!.checkpoint;
    await withForgery(
      pool,
      FORGERIES['a stream that is rewritten with its chain, the entries and the tiles']!,
      random,
      async () => {
        const { checkpoint: verdict } = await verify({ checkpoint });
        expect(verdict).toBe('inconsistent');
      },
    );
    expect((await verify({ checkpoint })).checkpoint).toBe('consistent');
  });

  describe(`finds and locates what was forged (seed ${random.seed})`, () => {
    const forgeries = Object.entries(FORGERIES).flatMap(([name, forge]) =>
      Array.from({ length: FORGED }, (_, n) => [name, n + 1, forge] as const),
    );
    // A copy that no process follows. A process that wrote to the log while an event was forged would no longer match it.
    let copy: HistoryCopy;
    beforeAll(async () => {
      await catchUp();
      copy = await copyHistory(harness.running.infrastructure.pool);
    });
    afterAll(() => copy.close());

    it.each(forgeries)('%s (%i)', async (_, __, forge) => {
      const { codec } = harness.running.infrastructure;
      const { pool, store } = copy;
      const { sealKey } = deriveHistoryKeys(Buffer.from(SECRETS_KEY, 'base64'));
      const check = { covers: () => true, stream: null, checkpoint: null };
      const context = { report: () => undefined, signal: new AbortController().signal };
      await withForgery(pool, forge, random, async (traces) => {
        const { broken } = await verifyHistory({ tables: new LogTables(pool), store, codec, sealKey }, check, context);
        for (const { stream, revision, reasons } of traces) {
          const found = broken.find((each) => each.stream === stream && each.revision === revision);
          expect({ stream, revision, reason: found?.reason, broken }).toMatchObject({ stream, revision });
          expect(reasons).toContain(found?.reason);
        }
        // Names no untouched event, except those of the same stream after an insertion.
        const streams = new Set(traces.map(({ stream }) => stream));
        expect(broken.filter(({ stream }) => !streams.has(stream))).toEqual([]);
      });
    });
  });

  it('stays whole when its owner is erased', async () => {
    const before = await catchUp();
    await operator.delete(`/owners/${other.id}`).expect(204);
    await catchUp();
    expect(await verify({ checkpoint: before })).toMatchObject({ broken: [], checkpoint: 'consistent' });
  });
});
