import type { SealedEntry } from './log-tables.js';

/** How an event differs from the log (management-api.md: `POST /history/verify`). */
export type BrokenReason = 'changed' | 'removed' | 'inserted' | 'reordered';

/** An event that differs from the log. */
export interface BrokenEvent {
  readonly stream: string;
  readonly revision: number;
  readonly reason: BrokenReason;
}

/** An event of the store. */
export interface FoundEvent {
  readonly stream: string;
  readonly revision: bigint;
  readonly position: bigint;
  /** The hash stored with the event. */
  readonly hash: string;
  /** True if the event's content matches this hash. */
  readonly isIntact: boolean;
}

/** Access to the store for {@link EventMatcher}. */
export interface EventLookup {
  /** True if the store has an event at this revision of the stream. */
  readonly exists: (stream: string, revision: bigint) => Promise<boolean>;
  /** Returns the keys of the next events after a given event. */
  readonly next: (after: FoundEvent, count: number) => Promise<readonly string[]>;
  /** True for a stream from which the gateway itself deletes events. */
  readonly mayBeGone: (stream: string) => boolean;
}

/** Returns the key of a revision of a stream. */
export const keyOf = ({ stream, revision }: { readonly stream: string; readonly revision: bigint }): string =>
  `${stream}\n${revision}`;

/**
 * Maximum distance, in entries, at which a moved event is recognised; beyond that, it is reported as removed and
 * inserted.
 */
const WINDOW = 10_000;

/**
 * Compares the events of the store with the entries of the log, both in order, and reports differences. The entries
 * must be added at least {@link WINDOW} ahead of the events.
 */
export class EventMatcher {
  readonly broken: BrokenEvent[] = [];
  private readonly entries: SealedEntry[] = [];
  private first = 0;
  /** Keys of the entries ahead, with their index in `entries`. */
  private readonly ahead = new Map<string, number>();
  /** Keys of events that come earlier in the store than in the log. */
  private readonly early = new Set<string>();
  /** Keys of events that come later in the store than in the log. */
  private readonly late = new Set<string>();

  constructor(private readonly lookup: EventLookup) {}

  /** True if more entries are needed before the next event. */
  get needsEntries(): boolean {
    return this.entries.length - this.first < WINDOW;
  }

  addEntries(entries: readonly SealedEntry[]): void {
    if (this.first > WINDOW) this.forgetPassed();
    for (const entry of entries) {
      if (entry.entry) this.ahead.set(keyOf(entry.entry), this.entries.length);
      this.entries.push(entry);
    }
  }

  /**
   * Compares the next event. Returns the event's hash according to the log; null if no intact entry matches the event.
   * @param isCovered false if the event is newer than the log and may be missing there
   */
  async match(event: FoundEvent, isCovered: boolean): Promise<string | null> {
    const key = keyOf(event);
    if (this.late.delete(key)) return null; // already reported at its place in the log
    for (;;) {
      const expected = this.entries[this.first];
      if (!expected) return this.reportUnknown(event, isCovered);
      if (expected.entry && this.early.delete(keyOf(expected.entry))) {
        this.pass();
        continue;
      }
      const expectedKey = expected.entry && keyOf(expected.entry);
      if (expectedKey === key) {
        if (expected.entry!.hash !== event.hash || !event.isIntact || !expected.isSealed) this.report(event, 'changed');
        this.pass();
        return expected.isSealed ? expected.entry!.hash : null;
      }
      if (!expected.isSealed && !this.ahead.has(key)) {
        this.pass(); // the entry was forged: it hides the event that belongs here
        return this.report(event, 'changed');
      }
      if (!expected.entry) {
        this.pass();
        continue;
      }
      const index = this.ahead.get(key);
      const isThere = await this.lookup.exists(expected.entry.stream, expected.entry.revision);
      if (!isThere) {
        if (!this.lookup.mayBeGone(expected.entry.stream)) this.report(expected.entry, 'removed');
        this.pass();
        continue;
      }
      if (index === undefined) return this.reportUnknown(event, isCovered);
      if (this.entries[index]!.entry!.hash !== event.hash) {
        this.early.add(key); // has the key of an entry further on, but is a different event
        if (expected.entry.hash === event.hash) {
          // This is the expected event at another revision; the event that belongs there comes later.
          this.report(expected.entry, 'changed');
          this.late.add(keyOf(expected.entry));
          this.pass();
        }
        return this.report(event, 'changed');
      }
      if (!(await this.settleOrder(event, expected, index))) return null;
    }
  }

  /** Reports the entries after the last event. */
  async end(): Promise<void> {
    for (; this.first < this.entries.length; this.pass()) {
      const { entry } = this.entries[this.first]!;
      if (!entry || this.early.delete(keyOf(entry))) continue;
      if (await this.lookup.exists(entry.stream, entry.revision)) this.report(entry, 'reordered');
      else if (!this.lookup.mayBeGone(entry.stream)) this.report(entry, 'removed');
    }
  }

  /**
   * Decides which of two events has moved: this event forwards, or the expected event backwards. Reports both if they
   * were swapped. @returns true if this event should be compared with the next entry
   */
  private async settleOrder(event: FoundEvent, expected: SealedEntry, index: number): Promise<boolean> {
    const distance = index - this.first;
    const key = keyOf(expected.entry!);
    const following = await this.lookup.next(event, distance);
    const at = following.indexOf(key) + 1; // 0: not among the next `distance` events
    const isEarly = at > 0;
    const isLate = at === 0 || at === distance;
    if (isLate) {
      this.report(expected.entry!, 'reordered');
      this.late.add(key);
      this.pass();
    }
    if (!isEarly) return true;
    this.report(event, 'reordered');
    this.early.add(keyOf(event));
    return false;
  }

  private pass(): void {
    const { entry } = this.entries[this.first]!;
    if (entry && this.ahead.get(keyOf(entry)) === this.first) this.ahead.delete(keyOf(entry));
    this.first++;
  }

  private forgetPassed(): void {
    this.entries.splice(0, this.first);
    for (const [key, index] of this.ahead) this.ahead.set(key, index - this.first);
    this.first = 0;
  }

  private reportUnknown(event: FoundEvent, isCovered: boolean): null {
    if (isCovered) return this.report(event, 'inserted');
    return event.isIntact ? null : this.report(event, 'changed');
  }

  private report({ stream, revision }: Pick<FoundEvent, 'stream' | 'revision'>, reason: BrokenReason): null {
    this.broken.push({ stream, revision: Number(revision), reason });
    return null;
  }
}
