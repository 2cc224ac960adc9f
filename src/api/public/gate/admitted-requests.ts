import type { KnownKeys, Replay } from '../../../commands/post/key-claims.js';
import type { AppendCondition } from '../../../event-store/port.js';
import type { PublishPayload } from '../../../payload/payload.js';
import type { EndpointSnapshot } from '../../../projections/discovery/endpoint-snapshots.queries.js';
import type { ReceivedBody } from '../../transport/body-reader.js';
import type { GateRequest } from './gate-request.js';
import type { ParsedPost } from './parsed-post.js';

/** A request that passed the gate, with its body exactly as it was sent. */
export interface AdmittedRequest {
  readonly endpoint: EndpointSnapshot;
  readonly body: Buffer;
}

/** A request that passed the gate. Its body may be too large to be kept. */
export interface ReceivedRequest {
  readonly endpoint: EndpointSnapshot;
  readonly body: ReceivedBody;
}

/** A post that passed the gate and may be accepted. */
export interface NewPost {
  readonly endpoint: EndpointSnapshot;
  readonly post: ParsedPost;
  readonly payload: PublishPayload;
  /** The endpoint's channels that the post goes to, each once. */
  readonly channelIds: readonly string[];
  readonly knownKeys: KnownKeys;
  /** See `Gate.releaseTokens`. */
  readonly takenAt: string | null;
  /** The condition that the append of the post must verify; null: the limiter verified it. See `Gate.readmitPost`. */
  readonly condition: AppendCondition | null;
  readonly gateRequest: GateRequest;
  readonly replay: null;
}

/** A post that was answered before (D-9). */
export interface RepeatedPost {
  readonly endpoint: EndpointSnapshot;
  readonly post: ParsedPost;
  readonly replay: Replay;
}
