import { appendFile, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ledger, type LedgerDraft, type LedgerEntry } from '../../../src/stand-ins/kit/ledger.js';

let folder: string;
let file: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'crosspost-ledger-'));
  file = join(folder, 'deep', 'ledger.jsonl');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const open = (onEntry?: (entry: LedgerEntry) => void) =>
  Ledger.open({ file, platform: 'telegram', ...(onEntry ? { onEntry } : {}) });
const draft = (text: string, channel = '@a'): LedgerDraft => ({
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
  it('has a line in the file before it says so', async () => {
    const ledger = await open();
    const [entry] = await ledger.append([draft('one\nline')]);
    expect(await readFile(file, 'utf8')).toBe(`${JSON.stringify(entry)}\n`);
    await ledger.close();
  });

  it('numbers a thousand appends of the same moment without a gap, in their order', async () => {
    const seen: number[] = [];
    const ledger = await open(({ seq }) => seen.push(seq));
    const entries = await Promise.all(Array.from({ length: 1_000 }, (_, n) => ledger.append([draft(`t${n}`)])));
    const expected = Array.from({ length: 1_000 }, (_, n) => n + 1);
    expect(entries.flat().map(({ seq }) => seq)).toEqual(expected);
    expect(seen).toEqual(expected);
    expect(texts(await ledger.read({}))).toEqual(expected.map((n) => `t${n - 1}`));
    await ledger.close();
  });

  it('reads from any place, so many as are wanted, of one channel or all', async () => {
    const ledger = await open();
    for (let n = 1; n <= 600; n++) await ledger.append([draft(String(n), n % 2 ? '@odd' : '@even')]);
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

  it('replays what it has when it is opened again, and goes on numbering', async () => {
    const first = await open();
    await first.append([draft('one'), draft('two')]);
    await first.close();
    const replayed: LedgerEntry[] = [];
    const second = await open((entry) => replayed.push(entry));
    expect(texts(replayed)).toEqual(['one', 'two']);
    expect((await second.append([draft('three')]))[0]?.seq).toBe(3);
    await second.close();
  });

  it('cuts off a torn last line, whichever byte it was torn at', async () => {
    const first = await open();
    await first.append([draft('kept')]);
    await first.close();
    const kept = await readFile(file);
    const torn = Buffer.from(`${JSON.stringify({ seq: 2, text: 'пропало' })}`);
    for (const length of [1, 10, torn.length - 3, torn.length]) {
      await writeFile(file, kept);
      await appendFile(file, torn.subarray(0, length));
      const ledger = await open();
      expect((await stat(file)).size).toBe(kept.length);
      expect((await ledger.append([draft('next')]))[0]?.seq).toBe(2);
      expect(texts(await ledger.read({}))).toEqual(['kept', 'next']);
      await ledger.close();
    }
  });

  it('refuses a file whose middle is not a ledger, naming the line', async () => {
    const first = await open();
    await first.append([draft('one')]);
    await first.close();
    await appendFile(file, 'not json\n');
    await expect(open()).rejects.toThrow('line 2: not a line of a ledger');
  });

  it('gives equal posts an equal hash, and others another', async () => {
    const ledger = await open();
    const [one, two, other] = await ledger.append([draft('same', '@a'), draft('same', '@b'), draft('different')]);
    expect(one?.content_hash).toBe(two?.content_hash);
    expect(other?.content_hash).not.toBe(one?.content_hash);
    await ledger.close();
  });

  it('takes nothing more once the disk has refused', async () => {
    const ledger = await open();
    await ledger.close();
    await expect(ledger.append([draft('lost')])).rejects.toThrow();
    await expect(ledger.append([draft('lost too')])).rejects.toThrow('cannot be written any more');
    expect(ledger.last).toBe(0);
  });
});
