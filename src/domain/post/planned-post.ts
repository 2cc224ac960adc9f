import type { Instant } from '../../kernel/clock.js';
import { assertNever } from '../../kernel/events.js';
import { reject, type Rejection } from '../../kernel/result.js';
import { PLANNED_POST_MESSAGES } from '../messages.js';
import {
  isPlanned,
  type PlannedPostEvent,
  type PostAccepted,
  type PostEdited,
  type PostRevised,
  type Target,
} from './post.events.js';

/** A post from its acceptance to its release or end (D-58). */
export interface PlannedPost {
  readonly postId: string;
  readonly endpointId: string;
  readonly ownerId: string;
  readonly acceptedAt: Instant;
  readonly externalId: string | null;
  readonly status: 'planned' | 'released' | 'ended';
  /** Null if none was given. */
  readonly publishAt: Instant | null;
  /** Null if no approval was required. */
  readonly approval: 'pending' | 'approved' | 'rejected' | null;
  /** 1 when accepted, incremented by each change (D-63). */
  readonly revision: number;
  /** Stream revision of the event that holds the current content. */
  readonly contentRevision: number;
  /** Stream revision of the event that queued its targets; null while it is planned. */
  readonly releasedRevision: number | null;
  /** The targets that were not cancelled, in the order of D-57. */
  readonly targets: readonly Target[];
  readonly cancelledIds: readonly string[];
}

/**
 * A new payload for a planned post, in stored form. Its targets have new publication ids, but targets that the post
 * already has keep their publications.
 */
export type RevisedContent = Pick<
  PostRevised['data'],
  'traceId' | 'payload' | 'parts' | 'mediaIds' | 'targets' | 'publishAt'
>;

/** Who is changing a post; determines whether it must be approved again (D-64). */
export interface ChangeAuthor {
  /** True for the operator and for keys that may approve, whose change needs no approval (D-93). */
  readonly isManager: boolean;
  /** True if the endpoint requires approval now. */
  readonly requiresApproval: boolean;
}

export type PlannedPostCommand =
  | {
      readonly type: 'ReleasePost';
      readonly at: Instant;
      /** True if the post is known to have been released already: the event that said so is lost (D-80). */
      readonly isForced?: boolean;
      /** See {@link PostReleased}. */
      readonly knownUpTo?: string;
    }
  | {
      readonly type: 'ReschedulePost';
      readonly at: Instant;
      readonly publishAt: Instant | null;
      readonly author: ChangeAuthor;
      /** The revisions that the author expects; null accepts any. */
      readonly ifRevision: readonly number[] | null;
    }
  | {
      readonly type: 'RevisePost';
      readonly at: Instant;
      readonly content: RevisedContent;
      readonly author: ChangeAuthor;
      readonly ifRevision: readonly number[] | null;
    }
  | {
      /** Gives a released post new content (D-72). */
      readonly type: 'EditPost';
      readonly at: Instant;
      readonly content: Pick<PostEdited['data'], 'traceId' | 'payload' | 'parts' | 'mediaIds'>;
      readonly ifRevision: readonly number[] | null;
    }
  | {
      readonly type: 'CancelPlanned';
      readonly at: Instant;
      /** Null means all publications. */
      readonly publicationIds: readonly string[] | null;
      readonly ifRevision: readonly number[] | null;
    }
  | {
      /** Takes a post back, whether it is planned or released (D-69). */
      readonly type: 'WithdrawPost';
      readonly at: Instant;
      readonly reason: string | null;
      readonly publicationIds: readonly string[];
    }
  | (PostDecision & { readonly at: Instant });

/** An owner's or the operator's decision on a post that is waiting for approval (D-62). */
export type PostDecision =
  | {
      readonly type: 'ApprovePost';
      readonly note: string | null;
      /** The revision that was read (D-81). */
      readonly ifRevision: readonly number[];
    }
  | { readonly type: 'RejectPost'; readonly reason: string };

/** Rejection codes. */
export type PlannedPostRejection =
  | 'already_released'
  | 'post_ended'
  | 'revision_mismatch'
  | 'too_many_revisions'
  | 'not_due'
  | 'already_decided'
  | 'no_approval_required'
  | 'missing_scope'
  | 'not_found';

/** Maximum number of revisions of a post (D-79). */
export const MAX_REVISIONS = 200;

/** Returns the initial state of an accepted post. @param revision revision of the event in its stream */
export const beginPost = (accepted: PostAccepted['data'], revision: number): PlannedPost => {
  const { postId, endpointId, ownerId, acceptedAt, externalId, targets, plan } = accepted;
  const base = { postId, endpointId, ownerId, acceptedAt, externalId, targets, cancelledIds: [] };
  const status = isPlanned(accepted) ? 'planned' : 'released';
  const approval = plan?.requiresApproval ? 'pending' : null;
  const content = { revision: 1, contentRevision: revision, releasedRevision: status === 'released' ? revision : null };
  return { ...base, status, publishAt: plan?.publishAt ?? null, approval, ...content };
};

/**
 * Returns the state of a post after an event that replaced its content; null if the event does not hold the whole state.
 * @param revision revision of the event in its stream
 */
export const resumePost = (revised: PostRevised['data'], revision: number): PlannedPost | null => {
  const { postId, endpointId, ownerId, acceptedAt, externalId, publishAt, approval, targets } = revised;
  if (approval === undefined) return null;
  const base = { postId, endpointId, ownerId, acceptedAt, externalId, targets, cancelledIds: [] };
  const content = { revision: revised.revision, contentRevision: revision, releasedRevision: null };
  return { ...base, status: 'planned', publishAt, approval, ...content };
};

/** Applies an event of a post. @param revision revision of the event in its stream */
export const evolvePost = (state: PlannedPost, event: PlannedPostEvent, revision: number): PlannedPost => {
  switch (event.type) {
    case 'PostReleased':
      return { ...state, status: 'released', releasedRevision: revision };
    case 'PostRescheduled': {
      const { publishAt, revision: changed } = event.data;
      return { ...state, publishAt, revision: changed, approval: approvalAfter(state, event.data.needsApproval) };
    }
    case 'PostRevised': {
      const { publishAt, targets, revision: changed } = event.data;
      const content = { targets, cancelledIds: [], contentRevision: revision, publishAt, revision: changed };
      return { ...state, ...content, approval: approvalAfter(state, event.data.needsApproval) };
    }
    case 'PlannedPublicationsCancelled': {
      const cancelled = new Set(event.data.publicationIds);
      const targets = state.targets.filter(({ publicationId }) => !cancelled.has(publicationId));
      const cancelledIds = [...state.cancelledIds, ...event.data.publicationIds];
      return { ...state, targets, cancelledIds, status: targets.length === 0 ? 'ended' : state.status };
    }
    case 'PostApprovalRequested':
      return { ...state, approval: 'pending' };
    case 'PostApproved':
      return { ...state, approval: 'approved' };
    case 'PostRejected':
      return { ...state, approval: 'rejected', status: 'ended', targets: [] };
    case 'PostWithdrawn':
      return state;
    case 'PostEdited':
      return { ...state, revision: event.data.revision, contentRevision: revision };
    default:
      return assertNever(event);
  }
};

const approvalAfter = ({ approval }: PlannedPost, needsApproval: boolean): PlannedPost['approval'] =>
  needsApproval ? 'pending' : approval;

/**
 * Decides on a command to a planned post. Returns the events to append together, or an empty list if there is nothing
 * to do. A change and the release compete for the stream's next revision; whichever loses is decided again (D-64).
 * @param nextRevision revision of the stream's next event
 */
export const decidePlannedPost = (
  command: PlannedPostCommand,
  state: PlannedPost,
  nextRevision: number,
): readonly PlannedPostEvent[] | Rejection<PlannedPostRejection> => {
  if (command.type === 'CancelPlanned' && state.status === 'ended') return refuseRevision(command, state) ?? [];
  const { postId, endpointId, ownerId } = state;
  const ids = { postId, endpointId, ownerId };
  const { at } = command;
  if (command.type === 'WithdrawPost') return withdrawPost(command, state, ids);
  if (command.type === 'EditPost') return editPost(command, state, ids);
  const refusal = refuse(command, state);
  if (refusal) return refusal;
  switch (command.type) {
    case 'ReleasePost':
      if (!command.isForced && !isDue(state, at)) return reject('not_due', PLANNED_POST_MESSAGES.notDue);
      return [releaseOf(state, at, command.knownUpTo)];
    case 'ReschedulePost': {
      const { publishAt, author } = command;
      const data = { ...ids, at, publishAt, revision: state.revision + 1, needsApproval: needsApproval(state, author) };
      return withConsequence(state, { type: 'PostRescheduled', data }, at, nextRevision);
    }
    case 'RevisePost': {
      const { content, author } = command;
      const { acceptedAt, externalId } = state;
      const changed = { revision: state.revision + 1, needsApproval: needsApproval(state, author) };
      const approval = approvalAfter(state, changed.needsApproval) as Exclude<PlannedPost['approval'], 'rejected'>;
      const replaced = { ...content, ...replaceTargets(state, content.targets) };
      const data = { ...ids, at, acceptedAt, externalId, ...changed, approval, ...replaced };
      return withConsequence(state, { type: 'PostRevised', data }, at, nextRevision);
    }
    case 'CancelPlanned': {
      const wanted = command.publicationIds && new Set(command.publicationIds);
      const all = state.targets.map(({ publicationId }) => publicationId);
      const publicationIds = wanted ? all.filter((id) => wanted.has(id)) : all;
      if (publicationIds.length === 0 && wanted) return [];
      const isLast = publicationIds.length === all.length;
      return [{ type: 'PlannedPublicationsCancelled', data: { ...ids, at, publicationIds, isLast } }];
    }
    case 'ApprovePost': {
      const data = { ...ids, at, note: command.note, revision: state.revision };
      return withConsequence(state, { type: 'PostApproved', data }, at, nextRevision);
    }
    case 'RejectPost': {
      const publicationIds = state.targets.map(({ publicationId }) => publicationId);
      return [{ type: 'PostRejected', data: { ...ids, at, reason: command.reason, publicationIds, isLast: true } }];
    }
    default:
      return assertNever(command);
  }
};

const withdrawPost = (
  { at, reason, publicationIds }: Extract<PlannedPostCommand, { type: 'WithdrawPost' }>,
  { status, targets, cancelledIds: before }: PlannedPost,
  ids: Pick<PlannedPost, 'postId' | 'endpointId' | 'ownerId'>,
): readonly PlannedPostEvent[] => {
  const wanted = new Set(publicationIds);
  const planned = status === 'planned' ? targets.filter(({ publicationId }) => wanted.has(publicationId)) : [];
  const withdrawn = (withdrawnIds: readonly string[], wasPlanned: boolean): PlannedPostEvent => ({
    type: 'PostWithdrawn',
    data: { ...ids, at, reason, publicationIds: withdrawnIds, wasPlanned },
  });
  if (status === 'released') {
    const released = publicationIds.filter((id) => !before.includes(id));
    return released.length > 0 ? [withdrawn(released, false)] : [];
  }
  if (planned.length === 0) return [];
  const cancelledIds = planned.map(({ publicationId }) => publicationId);
  const cancelled = { ...ids, at, publicationIds: cancelledIds, isLast: planned.length === targets.length };
  return [withdrawn(cancelledIds, true), { type: 'PlannedPublicationsCancelled', data: cancelled }];
};

const editPost = (
  { at, content, ifRevision }: Extract<PlannedPostCommand, { type: 'EditPost' }>,
  state: PlannedPost,
  ids: Pick<PlannedPost, 'postId' | 'endpointId' | 'ownerId'>,
): readonly PlannedPostEvent[] | Rejection<PlannedPostRejection> => {
  const { acceptedAt, externalId, releasedRevision } = state;
  if (releasedRevision === null) return reject('post_ended', PLANNED_POST_MESSAGES.ended);
  const refusal = refuseRevision({ ifRevision }, state) ?? refuseMoreRevisions(state);
  if (refusal) return refusal;
  const data = { ...ids, at, acceptedAt, externalId, revision: state.revision + 1, releasedRevision, ...content };
  return [{ type: 'PostEdited', data }];
};

const refuse = (
  command: Exclude<PlannedPostCommand, { type: 'EditPost' }>,
  state: PlannedPost,
): Rejection<PlannedPostRejection> | null => {
  if (command.type === 'ApprovePost' || command.type === 'RejectPost') {
    if (state.approval === null) return reject('no_approval_required', PLANNED_POST_MESSAGES.noApprovalRequired);
    if (state.approval !== 'pending')
      return reject('already_decided', PLANNED_POST_MESSAGES.alreadyDecided({ state: state.approval }));
  }
  if (state.status === 'released') return reject('already_released', PLANNED_POST_MESSAGES.alreadyReleased);
  if (state.status === 'ended') return reject('post_ended', PLANNED_POST_MESSAGES.ended);
  const mismatch = 'ifRevision' in command ? refuseRevision(command, state) : null;
  const isRevising = command.type === 'ReschedulePost' || command.type === 'RevisePost';
  return mismatch ?? (isRevising ? refuseMoreRevisions(state) : null);
};

const refuseMoreRevisions = ({ revision }: PlannedPost): Rejection<'too_many_revisions'> | null =>
  revision < MAX_REVISIONS
    ? null
    : reject('too_many_revisions', PLANNED_POST_MESSAGES.tooManyRevisions({ most: MAX_REVISIONS }));

/** @param ifRevision the revisions that the author expects; null accepts any */
export const refuseRevision = (
  { ifRevision }: { readonly ifRevision: readonly number[] | null },
  { revision }: PlannedPost,
): Rejection<'revision_mismatch'> | null =>
  ifRevision === null || ifRevision.includes(revision)
    ? null
    : reject('revision_mismatch', PLANNED_POST_MESSAGES.revisionMismatch({ revision: String(revision) }), { revision });

/** True if a planned post needs no further approval and its publication time has passed. */
export const isDue = ({ approval, publishAt }: Pick<PlannedPost, 'approval' | 'publishAt'>, at: Instant): boolean =>
  approval !== 'pending' && (publishAt === null || publishAt <= at);

/** A manager's change never requires a new approval; any other does while the endpoint requires approval (D-64). */
const needsApproval = ({ approval }: PlannedPost, { isManager, requiresApproval }: ChangeAuthor): boolean =>
  approval === 'pending' || (!isManager && requiresApproval);

/**
 * Adds the release or approval request that a change triggers.
 * @param revision stream revision at which the change will be appended
 */
const withConsequence = (
  state: PlannedPost,
  event: PlannedPostEvent,
  at: Instant,
  revision: number,
): readonly PlannedPostEvent[] => {
  const after = evolvePost(state, event, revision);
  if (isDue(after, at)) return [event, releaseOf(after, at)];
  return after.approval === 'pending' && state.approval !== 'pending' ? [event, requestOf(after, at)] : [event];
};

const requestOf = ({ postId, endpointId, ownerId, publishAt }: PlannedPost, at: Instant): PlannedPostEvent => ({
  type: 'PostApprovalRequested',
  data: { postId, endpointId, ownerId, at, publishAt },
});

const releaseOf = (state: PlannedPost, at: Instant, knownUpTo?: string): PlannedPostEvent => {
  const { postId, endpointId, ownerId, publishAt, contentRevision, cancelledIds, targets } = state;
  const content = { contentRevision, cancelledIds, targetCount: targets.length };
  const data = { postId, endpointId, ownerId, at, publishAt, ...content };
  return { type: 'PostReleased', data: knownUpTo === undefined ? data : { ...data, knownUpTo } };
};

/** Reuses the publications of targets that the post already has, and lists the publications that are dropped. */
const replaceTargets = (
  { targets, cancelledIds }: PlannedPost,
  replacing: readonly Target[],
): Pick<PostRevised['data'], 'targets' | 'droppedIds'> => {
  const idOf = new Map(targets.map(({ channelId, publicationId }) => [channelId, publicationId]));
  const kept = replacing.map((target) => {
    const publicationId = idOf.get(target.channelId) ?? target.publicationId;
    return { ...target, publicationId };
  });
  const keptIds = new Set(kept.map(({ publicationId }) => publicationId));
  const droppedIds = targets.map(({ publicationId }) => publicationId).filter((id) => !keptIds.has(id));
  return { targets: kept, droppedIds: [...droppedIds, ...cancelledIds] };
};
