import {
  isPlanned,
  type PlannedPostEvent,
  type PostAccepted,
  type PostEdited,
  type PostEvent,
  type PostRescheduled,
  type PostRevised,
  type PostWithdrawn,
  type Target,
} from '../../domain/post/post.events.js';
import { iso, isoOrNull } from '../../kernel/clock.js';
import { assertNever, type RecordedEvent, type RecordedEventOf, type ShownAggregate } from '../../kernel/events.js';
import type { Json, JsonObject } from '../../kernel/ids.js';
import type { PublishPayload } from '../../payload/payload.js';

/** The history of a post. */
export type PostHistory = {
  readonly id: string;
  readonly endpoint_id: string;
  readonly owner_id: string;
  readonly accepted_at: string;
  readonly idempotency_key: string | null;
  readonly external_id: string | null;
  readonly trace_id: string | null;
  readonly metadata: Json;
  /** Null after folding if the payload is stored in parts (D-42); the reader then inserts it. */
  readonly payload: JsonObject | null;
  /** True if the content was erased (D-100); absent otherwise. */
  readonly content_erased?: true;
  readonly publications: readonly {
    readonly id: string;
    readonly target_id: string;
    readonly platform: string;
    readonly project_id: string;
  }[];
  readonly request: {
    readonly ip: string | null;
    readonly user_agent: string | null;
    readonly route: string;
    readonly payload_bytes: number;
    readonly latency_ms: number;
  };
  /** Each time that it was taken back; absent if never. */
  readonly withdrawals?: readonly {
    readonly at: string;
    readonly by: string;
    readonly reason: string | null;
    readonly publications: readonly string[];
  }[];
  /** Each time that it was given new content after its release; absent if never. */
  readonly edits?: readonly { readonly at: string; readonly by: string; readonly revision: number }[];
} & Partial<PlanHistory>;

/** The plan of a post; absent for posts that were released when they were accepted. */
export type PlanHistory = {
  readonly state: 'planned' | 'released' | 'ended';
  /** Revision of the content and plan, increased by one with each change. */
  readonly post_revision: number;
  /** Stream revision of the event that holds this content. */
  readonly content_revision: number;
  readonly publish_at: string | null;
  readonly released_at: string | null;
  /** Null if no approval was required. */
  readonly approval: {
    readonly state: string;
    readonly by: string | null;
    readonly at: string | null;
    readonly note: string | null;
    /** The revision that was approved; null for other states and for approvals by former releases. */
    readonly revision: number | null;
  } | null;
  /** Publications that were cancelled before the release. */
  readonly cancelled: readonly string[];
};

/** Inserts the payload into a post. */
export const withPayload = (state: PostHistory, payload: PublishPayload | null): PostHistory => ({
  ...state,
  metadata: payload?.metadata ?? null,
  payload: payload as unknown as JsonObject | null,
});

const withContentOf = (
  { contentErased }: Pick<RecordedEvent, 'contentErased'>,
  { content_erased: _, ...state }: PostHistory,
  payload: PublishPayload | null,
): PostHistory => ({ ...withPayload(state, payload), ...(contentErased && { content_erased: true as const }) });

/** Folds posts. The stream of an idempotency key may hold several posts; each is folded only from its own events. */
export const postHistory: ShownAggregate<PostHistory, PostEvent> = {
  name: 'post',
  category: 'post',
  version: 3,

  evolve(state, event) {
    switch (event.type) {
      case 'PostAccepted': {
        const { postId: id, endpointId, ownerId, acceptedAt, key, externalId, traceId, payload, targets } = event.data;
        const { ip, userAgent, route, payloadBytes, latencyMs } = event.data.request;
        const post = {
          id,
          endpoint_id: endpointId,
          owner_id: ownerId,
          accepted_at: iso(acceptedAt),
          idempotency_key: key,
          external_id: externalId,
          trace_id: traceId,
          metadata: null,
          payload: null,
          publications: targets.map(publicationOf),
          request: { ip, user_agent: userAgent, route, payload_bytes: payloadBytes, latency_ms: latencyMs },
        };
        return withContentOf(event, isPlanned(event.data) ? { ...post, ...planOf(event) } : post, payload);
      }
      case 'PostSkipped':
      case 'PostKeyReserved':
        return state;
      case 'PostWithdrawn': {
        const { at, reason, publicationIds } = event.data;
        const withdrawal = { at: iso(at), by: event.actor, reason, publications: publicationIds };
        return state && { ...state, withdrawals: [...(state.withdrawals ?? []), withdrawal] };
      }
      case 'PostEdited': {
        const { at, revision, traceId, payload } = event.data;
        const content = { trace_id: traceId, content_revision: Number(event.revision), post_revision: revision };
        const edits = [...(state?.edits ?? []), { at: iso(at), by: event.actor, revision }];
        return state && withContentOf(event, { ...state, ...content, edits }, payload);
      }
      default:
        return state && evolvePlan(state, event);
    }
  },
};

const publicationOf = ({ publicationId, channelId, platform, projectId }: Target) => ({
  id: publicationId,
  target_id: channelId,
  platform,
  project_id: projectId,
});

const PENDING = { state: 'pending', by: null, at: null, note: null, revision: null };

const planOf = ({ data, revision }: RecordedEvent<PostAccepted>): PlanHistory => ({
  state: 'planned',
  post_revision: 1,
  content_revision: Number(revision),
  publish_at: isoOrNull(data.plan?.publishAt),
  released_at: null,
  approval: data.plan?.requiresApproval ? PENDING : null,
  cancelled: [],
});

const evolvePlan = (
  state: PostHistory,
  event: RecordedEventOf<Exclude<PlannedPostEvent, PostWithdrawn | PostEdited>>,
): PostHistory => {
  switch (event.type) {
    case 'PostReleased':
      return { ...state, state: 'released', released_at: iso(event.data.at) };
    case 'PostRescheduled':
      return { ...state, ...changeOf(state, event.data) };
    case 'PostRevised': {
      const { traceId, payload, targets } = event.data;
      const content = { trace_id: traceId, content_revision: Number(event.revision), cancelled: [] };
      const revised = { ...state, ...changeOf(state, event.data), ...content };
      return withContentOf(event, { ...revised, publications: targets.map(publicationOf) }, payload);
    }
    case 'PostApprovalRequested':
      return state;
    case 'PostApproved':
      return { ...state, approval: decisionOf('approved', event, event.data.note, event.data.revision) };
    case 'PostRejected': {
      const { reason, publicationIds } = event.data;
      const approval = decisionOf('rejected', event, reason);
      return { ...state, approval, state: 'ended', cancelled: [...(state.cancelled ?? []), ...publicationIds] };
    }
    case 'PlannedPublicationsCancelled': {
      const { publicationIds, isLast } = event.data;
      const cancelled = [...(state.cancelled ?? []), ...publicationIds];
      return { ...state, cancelled, ...(isLast && { state: 'ended' as const }) };
    }
    default:
      return assertNever(event);
  }
};

const changeOf = (
  { approval = null }: PostHistory,
  { publishAt, revision, needsApproval }: (PostRescheduled | PostRevised)['data'],
) => ({
  post_revision: revision,
  publish_at: isoOrNull(publishAt),
  approval: needsApproval ? PENDING : approval,
});

const decisionOf = (
  state: string,
  { actor, at }: RecordedEvent,
  note: string | null,
  revision: number | null = null,
) => ({
  state,
  by: actor,
  at: iso(at),
  note,
  revision,
});
