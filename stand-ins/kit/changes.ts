import { appendFile, mkdir, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';

/** What happened to a message after it was accepted. */
export interface LedgerChange {
  /** Sequence number of the change, from 1. */
  readonly seq: number;
  /** ISO 8601, UTC, milliseconds. */
  readonly at: string;
  readonly kind: 'deleted';
  readonly channel: string;
  readonly message_id: string;
  readonly call_id: string;
}

/**
 * Record of what happened to messages after they were accepted, next to the ledger, which never changes: one JSON line
 * per change. A line is passed to the operating system before the response is sent.
 */
export class Changes {
  private readonly all: LedgerChange[] = [];
  private readonly deleted = new Set<string>();

  private constructor(
    private readonly file: string,
    private readonly onChange: (change: LedgerChange) => void,
  ) {}

  /**
   * Opens the file, which the first change creates; an incomplete last line is ignored.
   * @param onChange called for every change in the file, then for each new one
   */
  static async open(file: string, onChange: (change: LedgerChange) => void = () => undefined): Promise<Changes> {
    const changes = new Changes(file, onChange);
    const text = await readFile(file, 'utf8').catch(() => '');
    for (const line of text.split('\n').slice(0, -1)) changes.apply(JSON.parse(line) as LedgerChange);
    return changes;
  }

  /** True if readers no longer see a message. */
  isDeleted(channel: string, messageId: string): boolean {
    return this.deleted.has(keyOf(channel, messageId));
  }

  /** Deletes a message that readers see. */
  async delete(message: Pick<LedgerChange, 'channel' | 'message_id' | 'call_id'>): Promise<void> {
    const change: LedgerChange = {
      seq: this.all.length + 1,
      at: new Date().toISOString(),
      kind: 'deleted',
      ...message,
    };
    this.apply(change);
    await mkdir(dirname(this.file), { recursive: true, mode: 0o700 });
    await appendFile(this.file, `${JSON.stringify(change)}\n`, { mode: 0o600 });
  }

  /** Returns the changes after number `after`, oldest first; of one channel unless it is null. */
  list(after: number, channel: string | null): readonly LedgerChange[] {
    return this.all.filter((change) => change.seq > after && (channel === null || change.channel === channel));
  }

  private apply(change: LedgerChange): void {
    this.all.push(change);
    this.deleted.add(keyOf(change.channel, change.message_id));
    this.onChange(change);
  }
}

const keyOf = (channel: string, messageId: string): string => `${channel} ${messageId}`;
