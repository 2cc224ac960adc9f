import type { ArchiveDifference, EventArchive } from '../event-store/port.js';
import type { Log } from '../kernel/log.js';
import { reasonOf } from '../kernel/result.js';
import { sleepUnlessAborted } from '../runtime/sleep.js';
import { FILE_STORE_MESSAGES } from './messages.js';

/** Pause between two comparisons while there is a difference, in ms. */
const PAUSE_MS = 30_000;
/** Maximum number of files that the log names. */
const NAMED = 100;

/**
 * Compares the archive's files with the database at the start, and while they differ: after a restore, one may be older
 * than the other (D-101).
 */
export class ArchiveCheck {
  private readonly stopping = new AbortController();
  private found: ArchiveDifference = { unknown: [], missing: [] };
  private logged: string | null = null;

  constructor(
    /** Null if the server of the event store keeps its events itself. */
    private readonly archive: EventArchive | null,
    /** Returns whether a job is writing files, which the database only learns of afterwards. */
    private readonly isArchiving: () => Promise<boolean>,
    private readonly log: Log,
    private readonly pauseMs = PAUSE_MS,
  ) {}

  start(): void {
    if (this.archive) void this.keepLooking(this.archive);
  }

  stop(): void {
    this.stopping.abort();
  }

  /** Records a difference, and logs it if it is new. */
  note(found: ArchiveDifference): void {
    this.found = found;
    const problem = this.describe();
    const { unknown, missing } = found;
    const files = { unknown: unknown.slice(0, NAMED), missing: missing.slice(0, NAMED) };
    if (problem !== null && problem !== this.logged) this.log.warn(files, problem);
    this.logged = problem;
  }

  /** Returns what is wrong with the archive, and what to do; null if nothing is known to be. */
  describe(): string | null {
    const lost = new Set([...this.found.missing, ...(this.archive?.unreadable ?? [])]);
    const [file] = lost;
    const [other] = this.found.unknown;
    const problems = [
      ...(file === undefined ? [] : [FILE_STORE_MESSAGES.archiveLost({ count: lost.size, file })]),
      ...(other === undefined
        ? []
        : [FILE_STORE_MESSAGES.archiveUnknown({ count: this.found.unknown.length, file: other })]),
    ];
    return problems.length === 0 ? null : problems.join('; ');
  }

  private async keepLooking(archive: EventArchive): Promise<void> {
    const { signal } = this.stopping;
    for (let mustLook = true; !signal.aborted; await sleepUnlessAborted(this.pauseMs, signal))
      try {
        if (!mustLook && this.describe() === null) continue;
        const found = await archive.compare();
        mustLook = await this.isArchiving();
        if (!mustLook) this.note(found);
      } catch (error) {
        if (!signal.aborted)
          this.log.warn({ reason: reasonOf(error) }, 'failed to compare the archive with the database');
      }
  }
}
