import type { Instant } from '../../kernel/clock.js';
import { type Catalogue, type DomainEvent, withContent } from '../../kernel/events.js';
import type { PublishPayload } from '../../payload/payload.js';
import type { Platform } from '../channel/channel.events.js';

/** One destination of a post. */
export interface Target {
  readonly publicationId: string;
  readonly channelId: string;
  readonly platform: Platform;
  /** The project whose processing applies (D-27). */
  readonly projectId: string;
}

/** Request details for the request log (D-33), stored with the post to save the log a second write. */
export interface RequestFacts {
  /** Null once it is erased (D-100). */
  readonly ip: string | null;
  readonly userAgent: string | null;
  readonly route: string;
  readonly payloadBytes: number;
  /** Time from the request's arrival until the post was ready to be appended, in ms. */
  readonly latencyMs: number;
  /** The post's disabled channels, if it has no targets because all its channels are disabled; otherwise absent. */
  readonly switchedOff?: readonly string[];
}

/** A payload that is too large for one append, stored in parts in a separate stream named after the post (D-42). */
export interface PayloadParts {
  readonly count: number;
  /** SHA-256 (hex) of the payload's JSON text. */
  readonly sha256: string;
  /** Id in the name of the parts stream; defaults to the post's id. */
  readonly id?: string;
}

/** The plan that a post was accepted with (D-58). */
export interface PostPlan {
  /** `publish_at`; null if none was given. */
  readonly publishAt: Instant | null;
  /** True if an owner must approve the post before it is released (D-62). */
  readonly requiresApproval: boolean;
  /** True if the post is released as soon as it is accepted, because its publication time has passed. */
  readonly isReleased: boolean;
}

/** A post was accepted with status 200. One event claims the key, accepts the post and stores the response (D-19). */
export type PostAccepted = DomainEvent<
  'PostAccepted',
  {
    readonly postId: string;
    readonly acceptedAt: Instant;
    readonly endpointId: string;
    readonly ownerId: string;
    /** The idempotency key from the header, or else `external_id`; null if neither was sent. The event claims both. */
    readonly key: string | null;
    readonly externalId: string | null;
    readonly traceId: string | null;
    /** SHA-256 (hex) of the request body, which shows whether a replay has a different payload (D-19); null once erased. */
    readonly bodyHash: string | null;
    /** Null if it is stored in parts, or erased (D-100). */
    readonly payload: PublishPayload | null;
    readonly parts: PayloadParts | null;
    /** The uploads that the content names, also in its overrides; absent if it names none (D-90). */
    readonly mediaIds?: readonly string[];
    /** In the order of the endpoint's projects and their channels (D-57). */
    readonly targets: readonly Target[];
    readonly request: RequestFacts;
    /** Absent if the post has no `publish_at` and needs no approval; it is then released as soon as it is accepted. */
    readonly plan?: PostPlan;
  }
>;

/** Ids in every event of a planned post. */
interface PlannedPostIds {
  readonly postId: string;
  readonly endpointId: string;
  readonly ownerId: string;
}

/**
 * A planned post was released: from now on its publications are in their channels' queues, as if the post had just been
 * accepted (D-59). Occurs at most once per post.
 */
export type PostReleased = DomainEvent<
  'PostReleased',
  PlannedPostIds & {
    readonly at: Instant;
    /** The time that the post was planned for; null if it had none and was released by its approval or by a change. */
    readonly publishAt: Instant | null;
    /** Revision of the event in this stream that holds the content: the acceptance or the latest new payload. */
    readonly contentRevision: number;
    /** Publications of that content which were cancelled before; its other targets are queued. */
    readonly cancelledIds: readonly string[];
    /** How many targets are queued, so that readers can limit the work of a batch before they know the targets. */
    readonly targetCount: number;
    /** The queued targets; only in events of version 1, which have no `cancelledIds`. */
    readonly targets?: readonly Target[];
    /**
     * Position up to which the log was known when the gateway released it by its time. A recovery that began later holds
     * its publications (D-80). Absent if a person caused the release.
     */
    readonly knownUpTo?: string;
  }
>;

/** A planned post was rescheduled (D-63). */
export type PostRescheduled = DomainEvent<
  'PostRescheduled',
  PlannedPostIds & {
    readonly at: Instant;
    /** Null if the post is to be published as soon as it is approved. */
    readonly publishAt: Instant | null;
    /** Revision of the post's content and plan: 1 when accepted, incremented by each change. */
    readonly revision: number;
    /** True if the post waits for approval after this change. */
    readonly needsApproval: boolean;
  }
>;

/** A planned post was given a new payload (D-63). Its id, key and `external_id` stay the same. */
export type PostRevised = DomainEvent<
  'PostRevised',
  PlannedPostIds & {
    readonly at: Instant;
    readonly acceptedAt: Instant;
    readonly publishAt: Instant | null;
    /** See {@link PostRescheduled}. */
    readonly revision: number;
    readonly needsApproval: boolean;
    readonly externalId: string | null;
    readonly traceId: string | null;
    readonly payload: PublishPayload | null;
    readonly parts: PayloadParts | null;
    /** See {@link PostAccepted}. */
    readonly mediaIds?: readonly string[];
    /** Targets that the post had before keep their publications. */
    readonly targets: readonly Target[];
    /** Publications that the post no longer has, including cancelled publications. */
    readonly droppedIds: readonly string[];
    /**
     * The approval after the change, so that reading the post can begin here. Absent in events of programs before
     * planned posts had a maximum of revisions.
     */
    readonly approval?: 'pending' | 'approved' | null;
  }
>;

/** Publications of a planned post were cancelled before its release. The post ends when none is left. */
export type PlannedPublicationsCancelled = DomainEvent<
  'PlannedPublicationsCancelled',
  PlannedPostIds & {
    readonly at: Instant;
    readonly publicationIds: readonly string[];
    /** True if no publication of the post is left: the post has ended. */
    readonly isLast: boolean;
  }
>;

/**
 * A planned post now waits for approval (D-62), because it was accepted or changed (D-64). This event follows the
 * acceptance or the change in the same append. Everyone who can approve the post is notified.
 */
export type PostApprovalRequested = DomainEvent<
  'PostApprovalRequested',
  PlannedPostIds & {
    readonly at: Instant;
    /** The time that the post is planned for; null for as soon as it is approved. */
    readonly publishAt: Instant | null;
  }
>;

/** A planned post was approved (D-62). If its time has passed, {@link PostReleased} follows in the same append. */
export type PostApproved = DomainEvent<
  'PostApproved',
  PlannedPostIds & {
    readonly at: Instant;
    readonly note: string | null;
    /** The revision that was approved (D-81); absent in events of former releases. */
    readonly revision?: number;
  }
>;

/** A planned post was rejected (D-62): the post ends, and its publications are dismissed. */
export type PostRejected = DomainEvent<
  'PostRejected',
  PlannedPostIds & {
    readonly at: Instant;
    /** Null once it is erased (D-100). */
    readonly reason: string | null;
    readonly publicationIds: readonly string[];
    /** Always true. */
    readonly isLast: true;
  }
>;

/**
 * A post was taken back (D-69): none of these publications is sent any more, and readers are to see nothing of them. The
 * publications' own streams say what became of each.
 */
export type PostWithdrawn = DomainEvent<
  'PostWithdrawn',
  PlannedPostIds & {
    readonly at: Instant;
    readonly reason: string | null;
    readonly publicationIds: readonly string[];
    /** True if the post was planned; its publications are then cancelled in the same append. */
    readonly wasPlanned: boolean;
  }
>;

/**
 * A released post was given new content (D-72), which each publication goes to. The publications' own streams say which
 * revision readers see.
 */
export type PostEdited = DomainEvent<
  'PostEdited',
  PlannedPostIds & {
    readonly at: Instant;
    readonly acceptedAt: Instant;
    readonly externalId: string | null;
    /** See {@link PostRescheduled}. */
    readonly revision: number;
    /** Revision in this stream of the event that queued the post's targets: its release, or else its acceptance. */
    readonly releasedRevision: number;
    readonly traceId: string | null;
    readonly payload: PublishPayload | null;
    readonly parts: PayloadParts | null;
    /** See {@link PostAccepted}. */
    readonly mediaIds?: readonly string[];
  }
>;

/** Events of a planned post after its acceptance, in the same stream. Events of other posts may follow later. */
export type PlannedPostEvent =
  | PostReleased
  | PostRescheduled
  | PostRevised
  | PlannedPublicationsCancelled
  | PostApprovalRequested
  | PostApproved
  | PostRejected
  | PostWithdrawn
  | PostEdited;

/** An endpoint without a project received a post with a key: only the response is stored (D-10, D-19). */
export type PostSkipped = DomainEvent<
  'PostSkipped',
  {
    readonly acceptedAt: Instant;
    readonly endpointId: string;
    readonly ownerId: string;
    readonly key: string;
    readonly externalId: string | null;
    readonly traceId: string | null;
    readonly bodyHash: string | null;
    readonly request: RequestFacts;
  }
>;

/** Where a future event will be written. That event will decide all reservations that refer to this place. */
export interface Place {
  readonly stream: string;
  readonly revision: number;
}

/**
 * A key was reserved. A request may have two keys (D-19), but a post is accepted by one event in one stream. The key
 * whose stream sorts later is therefore reserved for the place of that event. If the event there accepts a post that
 * claims the key, the key is taken; after any other event there, it is free again. Until then, other requests with the
 * key also write to that place, so an unfinished request does not block them.
 */
export type PostKeyReserved = DomainEvent<
  'PostKeyReserved',
  { readonly endpointId: string; readonly place: Place; readonly at: Instant }
>;

/** A part of a large payload's JSON text was stored, as base64; it has no effect until a post refers to it. */
export type PayloadPartStored = DomainEvent<
  'PayloadPartStored',
  { readonly postId: string; readonly index: number; readonly chunk: string | null }
>;

/** Events that decide whether a key is taken. */
export type KeyEvent = PostAccepted | PostSkipped | PostKeyReserved;

/** Events in an idempotency key's stream. */
export type PostEvent = KeyEvent | PlannedPostEvent;

/** Types of events that change a planned post. */
export const PLANNED_POST_TYPES = [
  'PostReleased',
  'PostRescheduled',
  'PostRevised',
  'PlannedPublicationsCancelled',
  'PostApprovalRequested',
  'PostApproved',
  'PostRejected',
  'PostWithdrawn',
  'PostEdited',
] as const satisfies readonly PlannedPostEvent['type'][];

/**
 * Lists the targets that a release queues, in the order of D-57.
 * @param content the targets of the content that the release refers to
 */
export const listReleased = (
  { targets, cancelledIds }: Pick<PostReleased['data'], 'targets' | 'cancelledIds'>,
  content: readonly Target[],
): readonly Target[] => {
  if (targets) return targets;
  const cancelled = new Set(cancelledIds);
  return cancelled.size === 0 ? content : content.filter(({ publicationId }) => !cancelled.has(publicationId));
};

/** True for a post that was not released as soon as it was accepted (D-58). */
export const isPlanned = ({ plan }: Pick<PostAccepted['data'], 'plan'>): boolean =>
  plan !== undefined && !plan.isReleased;

/** What an event tells about the client that sent its request. */
const CLIENT = ['request.ip', 'request.userAgent'] as const;

export const postEvents = {
  PostAccepted: withContent(['payload', 'bodyHash', ...CLIENT]),
  PostSkipped: withContent(['bodyHash', ...CLIENT]),
  PostKeyReserved: { version: 1 },
  PayloadPartStored: withContent(['chunk']),
  PostReleased: {
    version: 2,
    upcasters: {
      1: (data: Pick<PostReleased['data'], 'targets'>) => ({
        ...data,
        cancelledIds: [],
        targetCount: data.targets!.length,
      }),
    },
  },
  PostRescheduled: { version: 1 },
  PostRevised: withContent(['payload']),
  PlannedPublicationsCancelled: { version: 1 },
  PostApprovalRequested: { version: 1 },
  PostApproved: withContent(['note']),
  PostRejected: withContent(['reason']),
  PostWithdrawn: withContent(['reason']),
  PostEdited: withContent(['payload']),
} satisfies Catalogue & Record<PostEvent['type'] | PayloadPartStored['type'], unknown>;
