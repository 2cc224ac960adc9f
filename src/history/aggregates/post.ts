import type { PostEvent } from '../../domain/post/post.events.js';
import { assertNever } from '../../kernel/decider.js';
import { iso } from '../../kernel/instant.js';
import type { Json, JsonObject } from '../../kernel/json.js';
import type { PublishPayload } from '../../payload/payload.js';
import type { HistoryAggregate } from './history-aggregate.js';

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
  /** Null in the fold of a payload that is stored in parts (D-42): the reader puts it in. */
  readonly payload: JsonObject | null;
  readonly publications: readonly {
    readonly id: string;
    readonly target_id: string;
    readonly platform: string;
    readonly project_id: string;
  }[];
  readonly request: {
    readonly ip: string;
    readonly user_agent: string | null;
    readonly route: string;
    readonly payload_bytes: number;
    readonly latency_ms: number;
  };
};

/** Puts the payload into a post. */
export const withPayload = (state: PostHistory, payload: PublishPayload | null): PostHistory => ({
  ...state,
  metadata: payload?.metadata ?? null,
  payload: payload as unknown as JsonObject | null,
});

/** Folds posts. A key's stream may hold several posts; each is shown by its own event, and nothing changes a post afterwards. */
export const postHistory: HistoryAggregate<PostHistory, PostEvent> = {
  name: 'post',
  category: 'post',
  version: 1,

  evolve(state, event) {
    switch (event.type) {
      case 'PostAccepted': {
        const { postId: id, endpointId, ownerId, acceptedAt, key, externalId, traceId, payload, targets } = event.data;
        const { ip, userAgent, route, payloadBytes, latencyMs } = event.data.request;
        const post = {
          ...{ id, endpoint_id: endpointId, owner_id: ownerId, accepted_at: iso(acceptedAt) },
          ...{ idempotency_key: key, external_id: externalId, trace_id: traceId, metadata: null, payload: null },
          publications: targets.map(({ publicationId, channelId, platform, projectId }) => ({
            ...{ id: publicationId, target_id: channelId, platform, project_id: projectId },
          })),
          request: { ip, user_agent: userAgent, route, payload_bytes: payloadBytes, latency_ms: latencyMs },
        };
        return withPayload(post, payload);
      }
      case 'PostSkipped':
      case 'PostKeyReserved':
        return state;
      default:
        return assertNever(event);
    }
  },
};
