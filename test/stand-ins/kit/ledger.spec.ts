import { appendFile, chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ledger } from '../../../stand-ins/kit/ledger.js';
import type { LedgerEntry, NewLedgerEntry } from '../../../stand-ins/kit/ledger-entry.js';

let folder: string;
let file: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'crosspost-ledger-'));
  file = join(folder, 'deep', 'ledger.jsonl');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const open = (onEntry?: (entry: LedgerEntry) => void) =>
  Ledger.open({ file, platform: 'telegram', ...(onEntry ? { onEntry } : {}) });
const newEntry = (text: string, channel = '@a'): NewLedgerEntry => ({
  channel,
  channel_title: channel,
  channel_handle: channel.slice(1),
  message_id: '1',
  group_id: null,
  reply_to: null,
  text,
  entities: [],
  buttons: [],
  media: [],
  call_id: 'c',
});
const texts = (entries: readonly LedgerEntry[]) => entries.map(({ text }) => text);

describe('Ledger', () => {
  it('writes an entry to the file before it resolves', async () => {
    const ledger = await open();
    const [entry] = await ledger.append([newEntry('one\nline')]);
    expect(await readFile(file, 'utf8')).toBe(`${JSON.stringify(entry)}\n`);
    await ledger.close();
  });

  it('is readable only by its owner, also where an earlier version created it', async () => {
    const mode = async (path: string): Promise<number> => (await stat(path)).mode & 0o777;
    await (await open()).close();
    expect([await mode(file), await mode(join(folder, 'deep'))]).toEqual([0o600, 0o700]);
    await chmod(file, 0o644);
    await (await open()).close();
    expect(await mode(file)).toBe(0o600);
  });

  it('numbers a thousand concurrent appends in order, without gaps', async () => {
    const seen: number[] = [];
    const ledger = await open(({ seq }) => seen.push(seq));
    const entries = await Promise.all(Array.from({ length: 1_000 }, (_, n) => ledger.append([newEntry(`t${n}`)])));
    const expected = Array.from({ length: 1_000 }, (_, n) => n + 1);
    expect(entries.flat().map(({ seq }) => seq)).toEqual(expected);
    expect(seen).toEqual(expected);
    expect(texts(await ledger.read({}))).toEqual(expected.map((n) => `t${n - 1}`));
    await ledger.close();
  });

  it('reads after any entry, up to a limit, from one channel or all', async () => {
    const ledger = await open();
    for (let n = 1; n <= 600; n++) await ledger.append([newEntry(String(n), n % 2 ? '@odd' : '@even')]);
    expect(texts(await ledger.read({ after: 511, limit: 3 }))).toEqual(['512', '513', '514']);
    expect(texts(await ledger.read({ after: 512, limit: 2 }))).toEqual(['513', '514']);
    expect(texts(await ledger.read({ after: 595, channel: '@ODD' }))).toEqual(['597', '599']);
    expect(await ledger.read({ after: 600 })).toEqual([]);
    await ledger.close();
    const reopened = await open();
    expect(texts(await reopened.read({ after: 511, limit: 3 }))).toEqual(['512', '513', '514']);
    expect(reopened.last).toBe(600);
    await reopened.close();
  });

  it('replays its entries when it is opened again, and continues the numbering', async () => {
    const first = await open();
    await first.append([newEntry('one'), newEntry('two')]);
    await first.close();
    const replayed: LedgerEntry[] = [];
    const second = await open((entry) => replayed.push(entry));
    expect(texts(replayed)).toEqual(['one', 'two']);
    expect((await second.append([newEntry('three')]))[0]?.seq).toBe(3);
    await second.close();
  });

  it('cuts off a last line that is incomplete, at any byte', async () => {
    const first = await open();
    await first.append([newEntry('kept')]);
    await first.close();
    const kept = await readFile(file);
    const torn = Buffer.from(`${JSON.stringify({ seq: 2, text: 'пропало' })}`);
    for (const length of [1, 10, torn.length - 3, torn.length]) {
      await writeFile(file, kept);
      await appendFile(file, torn.subarray(0, length));
      const ledger = await open();
      expect((await stat(file)).size).toBe(kept.length);
      expect((await ledger.append([newEntry('next')]))[0]?.seq).toBe(2);
      expect(texts(await ledger.read({}))).toEqual(['kept', 'next']);
      await ledger.close();
    }
  });

  it('rejects a file with an invalid line in its middle and names the line', async () => {
    const first = await open();
    await first.append([newEntry('one')]);
    await first.close();
    await appendFile(file, 'not json\n');
    await expect(open()).rejects.toThrow('line 2: not a ledger entry');
  });

  it('gives equal posts the same hash, and different posts different hashes', async () => {
    const ledger = await open();
    const [one, two, other] = await ledger.append([
      newEntry('same', '@a'),
      newEntry('same', '@b'),
      newEntry('different'),
    ]);
    expect(one?.content_hash).toBe(two?.content_hash);
    expect(other?.content_hash).not.toBe(one?.content_hash);
    await ledger.close();
  });

  it('accepts no more entries after a failed write', async () => {
    const ledger = await open();
    await ledger.close();
    await expect(ledger.append([newEntry('lost')])).rejects.toThrow();
    await expect(ledger.append([newEntry('lost too')])).rejects.toThrow('accepts no more entries after a failed write');
    expect(ledger.last).toBe(0);
  });
});
