import { hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, mkdir, open, truncate } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { LedgerEntry, NewLedgerEntry } from './ledger-entry.js';

interface LedgerOptions {
  /** Path; created with its folder if missing. */
  readonly file: string;
  readonly platform: string;
  /** Called for every entry in order: first for the entries in the file when it is opened, then for each new entry. */
  readonly onEntry?: (entry: LedgerEntry) => void;
}

/** Number of entries between two indexed file offsets. */
const ENTRIES_PER_MARK = 256;

/**
 * Record of all messages that a stand-in accepted: one JSON line per message, appended and never changed. A line is
 * passed to the operating system before the response is sent, so a stand-in that is killed loses nothing that it
 * acknowledged. An incomplete last line was never acknowledged, and is cut off when the file is reopened.
 */
export class Ledger {
  private readonly waiting: { line: string; entry: LedgerEntry; written: () => void; failed: (e: unknown) => void }[] =
    [];
  private flushing: Promise<void> | null = null;
  private broken: unknown = null;

  private constructor(
    private readonly options: LedgerOptions,
    private readonly handle: FileHandle,
    private bytes: number,
    private lastSeq: number,
    private writtenSeq: number,
    /** `marks[k]`: offset of the line with entry `k * ENTRIES_PER_MARK + 1`. */
    private readonly marks: number[],
  ) {}

  /**
   * Opens the file and replays it through `onEntry`. Throws if a complete line is invalid; cuts off an incomplete last
   * line.
   */
  static async open(options: LedgerOptions): Promise<Ledger> {
    // An existing folder keeps its mode, because it may be shared, such as /tmp.
    await mkdir(dirname(options.file), { recursive: true, mode: 0o700 });
    const handle = await open(options.file, 'a', 0o600);
    await handle.chmod(0o600).catch(() => undefined); // the file may be from an earlier version, or another user's
    const marks: number[] = [];
    let whole = 0;
    let seq = 0;
    for await (const line of readLines(options.file, 0)) {
      if (!line.ended) {
        await truncate(options.file, whole);
        break;
      }
      const entry = parseLine(line.text, `${options.file}, line ${seq + 1}`);
      if (seq % ENTRIES_PER_MARK === 0) marks.push(whole);
      seq = entry.seq;
      whole = line.end;
      options.onEntry?.(entry);
    }
    return new Ledger(options, handle, whole, seq, seq, marks);
  }

  /** Number of the newest written entry; 0 if there is none. */
  get last(): number {
    return this.writtenSeq;
  }

  /**
   * Writes the messages of one call together and resolves once the operating system has them. Concurrent appends share
   * one write. After the first disk error, every append rejects, because a line may be incomplete.
   */
  async append(messages: readonly NewLedgerEntry[]): Promise<readonly LedgerEntry[]> {
    if (this.broken) throw new Error('the ledger accepts no more entries after a failed write', { cause: this.broken });
    const at = new Date().toISOString();
    const { platform } = this.options;
    const entries = messages.map((message): LedgerEntry => ({
      seq: ++this.lastSeq,
      at,
      platform,
      ...message,
      content_hash: computeContentHash(message),
    }));
    const all = entries.map(
      (entry) =>
        new Promise<void>((written, failed) => {
          this.waiting.push({ line: `${JSON.stringify(entry)}\n`, entry, written, failed });
        }),
    );
    this.flushing ??= this.flush();
    await Promise.all(all);
    return entries;
  }

  /** Reads at most `limit` entries after number `after` from the file, oldest first. `channel`: an id or `@name`. */
  async read({ after = 0, limit = Infinity, channel = null }: LedgerQuery): Promise<LedgerEntry[]> {
    const found: LedgerEntry[] = [];
    const until = this.writtenSeq;
    if (after >= until) return found;
    const start = this.marks[Math.floor(after / ENTRIES_PER_MARK)] ?? 0;
    for await (const line of readLines(this.options.file, start)) {
      if (!line.ended || found.length >= limit) break;
      const entry = parseLine(line.text, this.options.file);
      if (entry.seq > until) break;
      if (entry.seq > after && (channel === null || isChannel(entry, channel))) found.push(entry);
    }
    return found;
  }

  /** Returns the entry with a number; undefined if there is none. */
  async find(seq: number): Promise<LedgerEntry | undefined> {
    const [entry] = seq < 1 ? [] : await this.read({ after: seq - 1, limit: 1 });
    return entry;
  }

  /** Waits for pending writes and closes the file. */
  async close(): Promise<void> {
    await this.flushing;
    await this.handle.close();
  }

  private async flush(): Promise<void> {
    while (this.waiting.length > 0) {
      const batch = this.waiting.splice(0);
      try {
        await this.handle.appendFile(batch.map(({ line }) => line).join(''));
      } catch (error) {
        this.broken = error;
        for (const { failed } of [...batch, ...this.waiting.splice(0)]) failed(error);
        break;
      }
      for (const { line, entry, written } of batch) {
        if ((entry.seq - 1) % ENTRIES_PER_MARK === 0) this.marks.push(this.bytes);
        this.bytes += Buffer.byteLength(line);
        this.writtenSeq = entry.seq;
        this.options.onEntry?.(entry);
        written();
      }
    }
    this.flushing = null;
  }
}

interface LedgerQuery {
  readonly after?: number;
  readonly limit?: number;
  readonly channel?: string | null;
}

const isChannel = (entry: LedgerEntry, channel: string): boolean =>
  entry.channel === channel ||
  (entry.channel_handle !== null && `@${entry.channel_handle}`.toLowerCase() === channel.toLowerCase());

const computeContentHash = ({ text, entities, buttons, media }: NewLedgerEntry): string =>
  hash('sha256', JSON.stringify([text, entities, buttons, media]));

const parseLine = (text: string, where: string): LedgerEntry => {
  try {
    const entry = JSON.parse(text) as LedgerEntry;
    if (Number.isSafeInteger(entry.seq)) return entry;
  } catch {
    // Falls through to the error below.
  }
  throw new Error(`${where}: not a ledger entry; move the file away to start a new ledger`);
};

interface Line {
  readonly text: string;
  /** Offset of the next line. */
  readonly end: number;
  /** False for a last line without a newline. */
  readonly ended: boolean;
}

async function* readLines(file: string, start: number): AsyncGenerator<Line> {
  let rest: Buffer = Buffer.alloc(0);
  let end = start;
  for await (const chunk of createReadStream(file, { start, highWaterMark: 1_048_576 }) as AsyncIterable<Buffer>) {
    const block = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk;
    let from = 0;
    for (let newline = block.indexOf(10); newline >= 0; newline = block.indexOf(10, from)) {
      end += newline + 1 - from;
      yield { text: block.toString('utf8', from, newline), end, ended: true };
      from = newline + 1;
    }
    rest = block.subarray(from);
  }
  if (rest.length > 0) yield { text: rest.toString(), end: end + rest.length, ended: false };
}
