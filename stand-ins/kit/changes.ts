import { appendFile, mkdir, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { LedgerContent, LedgerEntry } from './ledger-entry.js';

/** What happened to a message after it was accepted. */
export interface LedgerChange {
  /** Sequence number of the change, from 1. */
  readonly seq: number;
  /** ISO 8601, UTC, milliseconds. */
  readonly at: string;
  readonly kind: 'deleted' | 'edited' | 'pinned' | 'unpinned';
  readonly channel: string;
  readonly message_id: string;
  readonly call_id: string;
  /** What the message shows since it was edited; absent for other changes. */
  readonly content?: LedgerContent;
}

/** A message that is changed, and the call that changes it. */
type ChangedMessage = Pick<LedgerChange, 'channel' | 'message_id' | 'call_id'>;

/**
 * Record of what happened to messages after they were accepted, next to the ledger, which never changes: one JSON line
 * per change. A line is passed to the operating system before the response is sent.
 */
export class Changes {
  private readonly all: LedgerChange[] = [];
  private readonly deleted = new Set<string>();
  private readonly edited = new Map<string, LedgerContent>();
  /** Ids of the pinned messages of each channel, in the order in which they were pinned. */
  private readonly pinned = new Map<string, readonly string[]>();

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

  /** Returns a message of the ledger as it is now. */
  current(entry: LedgerEntry): LedgerEntry {
    return { ...entry, ...this.edited.get(keyOf(entry.channel, entry.message_id)) };
  }

  /** Returns the ids of a channel's pinned messages. */
  pinnedIn(channel: string): readonly string[] {
    return this.pinned.get(channel) ?? [];
  }

  /** Deletes a message that readers see. */
  async delete(message: ChangedMessage): Promise<void> {
    await this.add({ kind: 'deleted', ...message });
  }

  /** Makes a message show something else. */
  async edit(message: ChangedMessage, { text, entities, buttons, media }: LedgerContent): Promise<void> {
    await this.add({ kind: 'edited', ...message, content: { text, entities, buttons, media } });
  }

  /** Pins a message. @param isOnly true if a channel has one pinned message, which this one replaces */
  async pin(message: ChangedMessage, isOnly: boolean): Promise<void> {
    const before = this.pinnedIn(message.channel);
    if (before.includes(message.message_id)) return;
    for (const message_id of isOnly ? before : []) await this.add({ kind: 'unpinned', ...message, message_id });
    await this.add({ kind: 'pinned', ...message });
  }

  /** Returns the changes after number `after`, oldest first; of one channel unless it is null. */
  list(after: number, channel: string | null): readonly LedgerChange[] {
    return this.all.filter((change) => change.seq > after && (channel === null || change.channel === channel));
  }

  private async add(what: Omit<LedgerChange, 'seq' | 'at'>): Promise<void> {
    const change: LedgerChange = { seq: this.all.length + 1, at: new Date().toISOString(), ...what };
    this.apply(change);
    await mkdir(dirname(this.file), { recursive: true, mode: 0o700 });
    await appendFile(this.file, `${JSON.stringify(change)}\n`, { mode: 0o600 });
  }

  private apply(change: LedgerChange): void {
    const { kind, channel, message_id, content } = change;
    const key = keyOf(channel, message_id);
    this.all.push(change);
    if (content) this.edited.set(key, content);
    if (kind === 'deleted') this.deleted.add(key);
    if (kind !== 'edited') {
      const others = this.pinnedIn(channel).filter((id) => id !== message_id);
      this.pinned.set(channel, kind === 'pinned' ? [...others, message_id] : others);
    }
    this.onChange(change);
  }
}

const keyOf = (channel: string, messageId: string): string => `${channel} ${messageId}`;
