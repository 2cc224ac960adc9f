import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { archive, type ArchiveCommand } from '../domain/archive/archive.decider.js';
import { ARCHIVE_ID } from '../domain/archive/archive.events.js';
import { AggregateStore } from '../event-store/aggregate-store.js';
import { CheckedEventStore } from '../event-store/checked-event-store.js';
import { monthOf } from '../event-store/content-keys.js';
import type { EventArchive, PackedFile, Position } from '../event-store/port.js';
import { type Job, type JobContext, type JobHandler, JobRuns, JobTable } from '../jobs/job.js';
import { CLOCK, type Clock, type Instant, startOfMonth } from '../kernel/clock.js';
import type { Origin } from '../kernel/events.js';
import type { Json } from '../kernel/ids.js';
import { AuditIndex } from '../projections/audit/audit.queries.js';
import { ProjectionProgress } from '../projections/engine/progress.js';
import { PostHorizon } from '../projections/posts/archived-posts.queries.js';
import { type NeededMonth, UnsettledContent } from '../projections/posts/unsettled.queries.js';
import { ArchiveCheck } from '../uploads/archive-check.js';
import { StoreStatus } from '../uploads/store-status.js';
import { type Completed, toOutcome } from './command.js';

/** Job kind, and subject, for moving old history into files. */
export const ARCHIVE_HISTORY = 'archive-history';

/** Parameters of an archiving job. */
export type ArchiveHistoryParams = {
  /** Time in ms since 1970: months that ended at or before it are archived. */
  readonly before: number;
  /** True to count only. */
  readonly dry_run: boolean;
  /** Who asked for it, as in events. */
  readonly by: Pick<Origin, 'actor' | 'actorName' | 'requestId'>;
};

/** What a job has archived of one month, or would archive. */
type ArchivedMonth = {
  readonly month: string;
  files: number;
  events: number;
  /** Of the files. */
  bytes: number;
};

/** Read models in which the job looks up what is not settled. */
const ASKED = ['posts', 'webhook-deliveries'];
/** Maximum number of unknown files that a result names. */
const NAMED = 100;
/** Read models that let go of what is older than the horizon. */
const WITH_HORIZON = ['posts', 'webhook-deliveries'];
/** About how many posts a move of the horizon takes: a read model lets go of them in one transaction. */
const POSTS_AT_ONCE = 2_000;
/** Pause after each file, in ms, so that archiving a year at once does not slow down publishing. */
const PAUSE_MS = 100;

/**
 * Moves the history of old months from the event table into files (D-101). For each file in turn: the file, durable and
 * read back; the event that names it; the removal. A crash in between leaves the events in the table, which give the same
 * file again. A month in which something is not settled stays, and so do all after it. Then the horizon follows, beyond
 * which read models let go of what is settled. If the server of the event store keeps its events itself, only the horizon
 * moves.
 */
@Injectable()
export class ArchiveHistory {
  constructor(
    private readonly store: CheckedEventStore,
    private readonly aggregates: AggregateStore,
    private readonly unsettled: UnsettledContent,
    private readonly horizon: PostHorizon,
    private readonly index: AuditIndex,
    private readonly progress: ProjectionProgress,
    private readonly files: StoreStatus,
    private readonly jobs: JobTable,
    private readonly check: ArchiveCheck,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * Starts the job that archives what is too old for ARCHIVE_MONTHS, at most once a day: a month may not be settled.
   * @param months whole months that stay after their month has ended
   */
  async startByAge(months: number): Promise<void> {
    const { archive: events } = this.store;
    const before = startOfMonth(this.clock.now(), -months);
    if (await this.jobs.hasStartedToday(ARCHIVE_HISTORY, { dry_run: false })) return;
    if (!(await events?.pack(before)) && !(await this.isHorizonBehind(before))) return;
    const params = { before, dry_run: false, by: { actor: `system:${ARCHIVE_HISTORY}`, requestId: '' } };
    try {
      await this.jobs.start({ kind: ARCHIVE_HISTORY, params, subject: ARCHIVE_HISTORY });
    } catch (error) {
      if (!(error instanceof JobRuns)) throw error;
    }
  }

  /** Runs a job. @returns null if it was aborted @throws Unavailable */
  async run({ id, params }: Pick<Job, 'id' | 'params'>, { signal }: Pick<JobContext, 'signal'>): Promise<Json> {
    const { before, dry_run: isDryRun, by } = params as unknown as ArchiveHistoryParams;
    const { archive: events } = this.store;
    if (events) await this.files.requireUsable();
    await this.waitFor(ASKED, await this.aggregates.store.readHead(), signal);
    const months: ArchivedMonth[] = [];
    const counted = new Set<string>();
    let left: NeededMonth | null = null;
    if (events)
      for (let after = await events.readEnd(); !signal.aborted;) {
        const file = await events.pack(before, after);
        if (!file) break;
        if (months.at(-1)?.month !== file.month) {
          left = await this.unsettled.findInMonth(file.month);
          if (left) break;
          months.push({ month: file.month, files: 0, events: 0, bytes: 0 });
        }
        if (isDryRun) counted.add(file.name);
        else await this.archiveFile(events, file, id, by);
        const month = months.at(-1)!;
        month.files += 1;
        month.events += file.events;
        month.bytes += file.bytes.length;
        after = file.last;
        await sleep(PAUSE_MS);
      }
    if (!isDryRun && !signal.aborted)
      left = (await this.moveHorizon(left ? startOf(left) : before, id, by, signal)) ?? left;
    if (signal.aborted) return null;
    return { months, left, unknown_files: events ? await this.findUnknown(events, counted) : [] } as unknown as Json;
  }

  /** @param counted files that an interrupted run has written and this one only counts; they are expected */
  private async findUnknown(events: EventArchive, counted: ReadonlySet<string>): Promise<readonly string[]> {
    const { unknown, missing } = await events.compare();
    const found = { unknown: unknown.filter((name) => !counted.has(name)), missing };
    this.check.note(found);
    return found.unknown.slice(0, NAMED);
  }

  private async archiveFile(
    events: EventArchive,
    file: PackedFile,
    jobId: string,
    by: ArchiveHistoryParams['by'],
  ): Promise<void> {
    await events.store(file);
    const { month, name, sha256, first, last } = file;
    const facts = { month, file: name, sha256, firstPosition: String(first), lastPosition: String(last) };
    await this.execute({ type: 'NameFile', ...facts, events: file.events }, `${jobId}/${name}`, jobId, by);
    await events.move(file);
  }

  private async isHorizonBehind(before: Instant): Promise<boolean> {
    const from = (await this.horizon.read()) ?? (await this.horizon.findFirst());
    return from !== null && from < before;
  }

  /**
   * Moves the horizon, a few posts at a time, each time after the read models have let go of those before.
   * @returns the first month in which something is not settled, if it comes first
   */
  private async moveHorizon(
    before: Instant,
    jobId: string,
    by: ArchiveHistoryParams['by'],
    signal: AbortSignal,
  ): Promise<NeededMonth | null> {
    let month = '';
    let from = (await this.horizon.read()) ?? (await this.horizon.findFirst()) ?? before;
    while (from < before && !signal.aborted) {
      if (monthOf(from) !== month) {
        month = monthOf(from);
        const left = await this.unsettled.findInMonth(month);
        if (left) return left;
      }
      const end = Math.min(before, startOfMonth(from, 1));
      const next = await this.horizon.findEnd(from, end, POSTS_AT_ONCE);
      const position = String(await this.index.findEnd(next));
      const moved = { type: 'MoveHorizon', before: next, position } as const;
      await this.waitFor(WITH_HORIZON, await this.execute(moved, `${jobId}/${next}`, jobId, by), signal);
      from = next;
      await sleep(PAUSE_MS);
    }
    return null;
  }

  private async waitFor(names: readonly string[], position: Position, signal: AbortSignal): Promise<void> {
    while (!signal.aborted && !(await this.progress.waitFor(names, position, 1_000)));
  }

  private async execute(
    command: ArchiveCommand,
    commandId: string,
    jobId: string,
    by: ArchiveHistoryParams['by'],
  ): Promise<Position> {
    const origin = { ...by, causationId: jobId, correlationId: jobId, clientAddress: null };
    const context = { ...origin, commandId, at: this.clock.now() };
    // It rejects nothing.
    const outcome = toOutcome(await this.aggregates.execute(archive, ARCHIVE_ID, command, context)) as Completed;
    return outcome.position;
  }
}

const startOf = ({ month }: NeededMonth): Instant => Date.parse(`${month}-01T00:00:00Z`);

/** Creates the handler of archiving jobs. An interrupted job goes on after the last file. */
export const createArchiveHandler = (history: ArchiveHistory): JobHandler => ({
  kind: ARCHIVE_HISTORY,
  run: (job, context) => history.run(job, context),
});
