// More than 20 s: a history of more than one bundle is written, and exported a hundred times.
import { BEGINNING, type Position } from '../../src/event-store/port.js';
import { ExportHistory } from '../../src/history/transfer/export-history.js';
import { type LogHead, LogTables, readEntries } from '../../src/history/transparency-log/log-tables.js';
import type { ContentKeyTable } from '../../src/secrets/content-keys.js';
import type { SecretVault } from '../../src/secrets/vault.js';
import { type ManagementHarness, startHarness } from '../api/management/management-harness.js';
import { Random } from '../e2e/random.js';
import { sampleOf } from '../support/sample.js';
import { copyHistory, type HistoryCopy } from './history-copy.js';
import { exportHistory, fill, SETTINGS } from './transfer-harness.js';

const random = new Random();
const NEVER = new AbortController().signal;

describe('the pages of an export', () => {
  let harness: ManagementHarness;
  let copy: HistoryCopy;
  let whole: readonly string[];

  /** Exports the copy, which no process writes to. @param cut returns the head to export up to; default: the newest */
  const exportCopy = async (
    pageSize: number,
    { after = BEGINNING, cut = (head: LogHead) => head }: { after?: Position; cut?: (head: LogHead) => LogHead } = {},
  ): Promise<string[]> => {
    const { pool, store } = copy;
    const { codec } = harness.running.infrastructure;
    const vault = { listSealed: async () => [] } as unknown as SecretVault;
    const keys = { listSealed: async () => [] } as unknown as ContentKeyTable;
    const history = Object.assign(new ExportHistory(pool, store, codec, vault, keys), { pageSize });
    const lines: string[] = [];
    const head = cut((await history.waitForLog(NEVER))!);
    for await (const line of history.lines(head, { after, withSecrets: false })) lines.push(line);
    return lines;
  };

  beforeAll(async () => {
    harness = await startHarness(SETTINGS);
    const { owner, channel } = await fill(harness);
    // More than one bundle of entries.
    for (let n = 0; n < 300; n++) await owner.caller.patch(`/channels/${channel}`, { name: `Name ${n}` }).expect(200);
    await exportHistory(harness); // the log covers everything
    copy = await copyHistory(harness.running.infrastructure.pool);
    // Removes the first events of the request log.
    await copy.pool.query("delete from event_store.event where stream like 'requestLog-%' and revision < 2");
    whole = await exportCopy(500);
  }, 300_000);
  afterAll(async () => {
    await copy.close();
    await harness.stop();
  });

  it('give the same lines wherever they end', async () => {
    expect(whole.length).toBeGreaterThan(300);
    expect(whole.map((line) => (JSON.parse(line) as { index: number }).index)).toEqual(whole.map((_, i) => i));
    expect(whole.filter((line) => !line.includes('"id"'))).toHaveLength(2);
    for (const size of [1, 2, 3, 5, 7, 16, 64, 255, 256, 257, whole.length - 1, whole.length, whole.length + 1])
      expect(await exportCopy(size)).toEqual(whole);
  }, 300_000);

  it(`go on after any position with the rest (seed ${random.seed})`, async () => {
    // All positions would take half a minute, so this tests a sample, and the edges of the bundles and of the log.
    const last = whole.length - 1;
    const edges = new Set([0, 1, 2, 254, 255, 256, 257, last - 1, last]);
    const chosen = new Set(sampleOf([...whole.keys()], 0.2, random));
    for (const [i, line] of whole.entries()) {
      if (!edges.has(i) && !chosen.has(i)) continue;
      const { position, id } = JSON.parse(line) as { position: string; id?: string };
      if (id === undefined) continue; // it goes on after the event before it
      expect(await exportCopy(64, { after: BigInt(position) })).toEqual(whole.slice(i + 1));
    }
  }, 300_000);

  it('end at the head that the export began with, even if the log has grown since', async () => {
    const withoutEnd = (lines: readonly string[]) => lines.map((line) => line.replace(/,"last":true\}$/, '}'));
    for (const size of [1, 157, 255, 256, 257, 300]) {
      const { position } = JSON.parse(whole[size - 1]!) as { position: string };
      const lines = await exportCopy(64, { cut: (head) => ({ ...head, size, position: BigInt(position) }) });
      expect(lines.at(-1)).toContain('"last":true');
      expect(withoutEnd(lines)).toEqual(withoutEnd(whole.slice(0, size)));
      // A verification reads the same entries.
      const indexes: number[] = [];
      for await (const entries of readEntries(new LogTables(copy.pool), size, Buffer.alloc(32)))
        indexes.push(...entries.map(({ index }) => index));
      expect(indexes).toEqual(whole.slice(0, size).map((_, i) => i));
    }
  });
});
