import type { Pool } from 'pg';
import { PlannedPosts } from '../../commands/post/planned-posts.js';
import type { Platform } from '../../domain/channel/channel.events.js';
import {
  publication as decider,
  type PublicationCommand,
  type PublicationState,
} from '../../domain/publication/publication.decider.js';
import type { PublicationError, PublicationWarning } from '../../domain/publication/publication.events.js';
import type { AggregateStore } from '../../event-store/aggregate-store.js';
import type { CommandContext } from '../../event-store/codec.js';
import type { Instant } from '../../kernel/clock.js';
import { newId } from '../../kernel/ids.js';
import { isRejection } from '../../kernel/result.js';
import type { PublicationViewState, RowWithdrawal } from '../../projections/posts/posts.tables.js';
import { RECOVERY_MESSAGES } from '../messages.js';

/** A publication as the read model `posts` shows it. */
export interface KnownPublication {
  readonly publication_id: string;
  readonly post_id: string;
  readonly channel_id: string;
  readonly stream: string;
  readonly revision: string;
  readonly state: PublicationViewState;
  /** Time at which its post was released; null if it never was. */
  readonly released_at: number | null;
  readonly attempts: readonly { readonly ended_at: number | null; readonly error: PublicationError | null }[];
  readonly message_ids: readonly string[];
  readonly urls: readonly string[];
  readonly warnings: readonly PublicationWarning[];
  readonly owner_id: string;
  readonly platform: Platform;
  readonly withdrawal: RowWithdrawal | null;
}

/**
 * Returns the commands, in order, that record a publication's outcome in an event store, so that it is not sent again;
 * empty if there is nothing to record. Takes over an outcome that the read model shows. Marks a publication as in doubt,
 * for its owner to decide, if it was or may have been sent in part. A planned post has no outcome yet.
 */
export const takeOver = (
  known: KnownPublication,
  state: PublicationState,
  now: Instant,
): readonly PublicationCommand[] => {
  const withdrawal = withdrawalOf(known, state, now);
  const isOpen = state.status === 'queued' || state.status === 'publishing';
  const newMessages = known.message_ids.filter((id) => !state.messageIds.includes(id));
  const isUntouched = known.state === 'queued' || known.state === 'planned';
  if (!isOpen || (isUntouched && newMessages.length === 0)) return withdrawal;
  const ids = { publicationId: known.publication_id, postId: known.post_id, channelId: known.channel_id };
  const last = known.attempts.at(-1);
  const at = last?.ended_at ?? now;
  if (state.status === 'queued' && known.state === 'filtered' && known.warnings.length > 0)
    return [{ type: 'FilterPublication', at, reason: known.warnings.at(-1)!, ...ids }];
  if (state.status === 'queued' && known.state === 'dismissed') return [{ type: 'CancelPublication', at, ...ids }];
  const isStarted = state.status === 'publishing';
  const attempt = isStarted ? state.attempt : state.attempt + 1;
  const planned = { after: state.attempt, at, worker: 'recovery', sending: null, projectRevision: null };
  const start: PublicationCommand[] = isStarted ? [] : [{ type: 'StartAttempt', ...planned, ...ids }];
  if (known.state === 'published' || (withdrawal.length > 0 && newMessages.length > 0)) {
    const urls = known.urls.filter((url) => !state.urls.includes(url));
    const outcome = { attempt, at, messageIds: newMessages, urls, warnings: known.warnings };
    return [...start, { type: 'MarkPublished', ...outcome, ...ids }, ...withdrawal];
  }
  if (known.state === 'failed' && last?.error)
    return [...start, { type: 'MarkFailed', attempt, at, error: last.error, ...ids }];
  const error = { code: 'restored', category: 'unknown', source: 'gateway', message: RECOVERY_MESSAGES.outcomeLost };
  return [...start, { type: 'MarkInDoubt', attempt, at, error, resendAt: null, ...ids }, ...withdrawal];
};

const WITHDRAWN: ReadonlySet<PublicationViewState> = new Set(['withdrawing', 'withdrawn', 'withdraw_failed']);

/** Repeats a take-back that the store lacks: deleting again does no harm, and nothing is sent again (D-69). */
const withdrawalOf = (
  { withdrawal, ...known }: KnownPublication,
  state: PublicationState,
  at: Instant,
): readonly PublicationCommand[] => {
  if (!withdrawal || state.withdrawal || !WITHDRAWN.has(known.state)) return [];
  const { requested_at: requestedAt, by, reason } = withdrawal;
  const { publication_id: publicationId, post_id: postId, channel_id: channelId, owner_id: ownerId, platform } = known;
  const ids = { publicationId, postId, channelId, ownerId, platform };
  return [{ type: 'WithdrawPublication', ...ids, at, requestedAt, by, reason }];
};

/** Publications to compare with an event store, in this order. */
export interface PublicationList {
  readonly ids: readonly string[];
  /** True if sorted newest first: the comparison can stop after enough consecutive known outcomes. */
  readonly mayStop: boolean;
}

/** A publication, and whether an event store knows its outcome. */
export interface Compared {
  readonly id: string;
  readonly isKnown: boolean;
}

/** Number of publications read at a time. */
export const PAGE = 500;

const BOUNDS = {
  page: PAGE,
  /** Number of consecutive outcomes that the store must know before the rest of a list is skipped. */
  enoughKnown: 5_000,
};

/**
 * Finds the publications whose outcomes an event store lacks. Returns each list in reverse, for the caller to append the
 * earliest outcomes first: after an interruption, the store then looks like a longer backup, and the next run can stop
 * when it reaches the appended outcomes.
 * @param comparePage compares publications in order, and leaves out publications whose posts the store lacks
 */
export const findUnknown = async (
  lists: readonly PublicationList[],
  comparePage: (ids: readonly string[]) => Promise<readonly Compared[]>,
  { page, enoughKnown } = BOUNDS,
): Promise<readonly string[]> => {
  const unknown: string[] = [];
  for (const { ids, mayStop } of lists) {
    const found: string[] = [];
    let knownInARow = 0; // known outcomes in one list imply nothing about another
    for (let from = 0; from < ids.length && !(mayStop && knownInARow >= enoughKnown); from += page)
      for (const { id, isKnown } of await comparePage(ids.slice(from, from + page))) {
        knownInARow = isKnown ? knownInARow + 1 : 0;
        if (!isKnown) found.push(id);
      }
    unknown.push(...found.reverse());
  }
  return unknown;
};

/** Actor of the events that a recovery appends. */
export const RECOVERY_ACTOR = 'system:recovery';

/** Returns the context of a command that a recovery executes. */
export const recoveryContext = (): CommandContext => {
  const requestId = newId('req');
  const origin = { actor: RECOVERY_ACTOR, requestId, causationId: requestId, correlationId: requestId };
  return { ...origin, clientAddress: null, commandId: `${RECOVERY_ACTOR}/${requestId}`, at: Date.now() };
};

/**
 * Appends the outcomes that the read model `posts` holds and the event store lacks, so that nothing is published twice
 * and nothing cancelled is published. Safe to repeat.
 */
export class Outcomes {
  private readonly posts: PlannedPosts;

  constructor(
    private readonly pool: Pick<Pool, 'query'>,
    private readonly aggregates: AggregateStore,
  ) {
    this.posts = new PlannedPosts(aggregates);
  }

  /** @returns how many outcomes were appended, and how many of these publications are in doubt */
  async takeOverAll(): Promise<{ readonly taken: number; readonly doubtful: number }> {
    const { rows } = await this.pool.query("select where to_regclass('posts.publication') is not null");
    const result = { taken: 0, doubtful: 0 };
    if (rows.length === 0) return result;
    const unknown = await findUnknown(await this.listPublications(), async (ids) => {
      const compared: Compared[] = [];
      for (const row of await this.readPublications(ids)) {
        if (!(await this.isInStore(row))) continue;
        compared.push({ id: row.publication_id, isKnown: (await this.decide(row)).length === 0 });
      }
      return compared;
    });
    for (let from = 0; from < unknown.length; from += PAGE)
      for (const row of await this.readPublications(unknown.slice(from, from + PAGE))) {
        const last = await this.takeOverOutcome(row);
        if (last) result.taken += 1;
        if (last?.type === 'MarkInDoubt') result.doubtful += 1;
      }
    return result;
  }

  private async isInStore({ stream, revision, post_id }: KnownPublication): Promise<boolean> {
    const { store, codec } = this.aggregates;
    const [accepted] = await store.readStream(stream, { from: BigInt(revision), limit: 1 });
    return accepted !== undefined && (codec.decode(accepted).data as { postId?: string }).postId === post_id;
  }

  /** Returns the commands that take over one outcome; empty if the store already has it. */
  private async decide(row: KnownPublication): Promise<readonly PublicationCommand[]> {
    const { state } = await this.aggregates.loadAggregate(decider, row.publication_id);
    return takeOver(row, state, Date.now());
  }

  /** Executes the commands that take over one outcome. Returns the last; undefined if the store knows the outcome. */
  private async takeOverOutcome(row: KnownPublication): Promise<PublicationCommand | undefined> {
    const commands = await this.decide(row);
    if (commands.length > 0) await this.endPlan(row);
    for (const command of commands) {
      const result = await this.aggregates.execute(decider, row.publication_id, command, recoveryContext());
      if (isRejection(result)) throw new Error(`${row.publication_id}: ${result.message}`);
    }
    return commands.at(-1);
  }

  /** Releases a post that the store still plans, or cancels its publication if it was cancelled before its release. */
  private async endPlan(row: KnownPublication): Promise<void> {
    const { publication_id, post_id: postId, stream, revision, released_at, state } = row;
    const loaded = await this.posts.load({ postId, stream, revision });
    if (loaded?.state.status !== 'planned') return;
    const at = released_at ?? Date.now();
    const isCancelled = released_at === null && state === 'dismissed';
    const command = isCancelled
      ? ({ type: 'CancelPlanned', at, publicationIds: [publication_id], ifRevision: null } as const)
      : ({ type: 'ReleasePost', at, isForced: true } as const);
    await this.posts.execute({ postId, stream, revision }, command, recoveryContext());
  }

  /**
   * Lists the publications that have made progress: first the publications that are neither published, failed nor in
   * doubt, then the others, newest first. A backup contains the beginning of the log, so once many consecutive outcomes
   * are in the store, all earlier outcomes are too.
   */
  private async listPublications(): Promise<readonly PublicationList[]> {
    const list = async (condition: string, order: string): Promise<string[]> => {
      const text = `select publication_id as id from posts.publication where ${condition} order by ${order}`;
      return (await this.pool.query<{ id: string }>(text)).rows.map(({ id }) => id);
    };
    const ended = "state in ('published', 'failed', 'in_doubt')";
    const touched = "(state not in ('queued', 'planned') or message_ids <> '[]')";
    return [
      { ids: await list(`${touched} and not ${ended}`, 'publication_id'), mayStop: false },
      { ids: await list(ended, "(attempts -> -1 ->> 'ended_at')::float8 desc nulls first"), mayStop: true },
    ];
  }

  private async readPublications(ids: readonly string[]): Promise<readonly KnownPublication[]> {
    const { rows } = await this.pool.query<KnownPublication>(
      `select u.publication_id, u.post_id, u.channel_id, p.stream, p.revision, p.released_at::float8 as released_at,
         u.state, u.attempts, u.message_ids, u.urls, u.warnings, u.owner_id, u.platform,
         to_jsonb(u) -> 'withdrawal' as withdrawal -- a table of a former release has no such column
       from unnest($1::text[]) with ordinality i (id, n)
         join posts.publication u on u.publication_id = i.id join posts.post p using (post_id) order by i.n`,
      [ids],
    );
    return rows;
  }
}
