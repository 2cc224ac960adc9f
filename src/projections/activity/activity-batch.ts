import type { ChannelEvent } from '../../domain/channel/channel.events.js';
import type { ChannelPauseEvent } from '../../domain/channel-pause/channel-pause.events.js';
import type { EndpointEvent } from '../../domain/endpoint/endpoint.events.js';
import type { OwnerEvent } from '../../domain/owner/owner.events.js';
import type { PostEvent } from '../../domain/post/post.events.js';
import type { ProjectEvent } from '../../domain/project/project.events.js';
import type { PublicationEvent } from '../../domain/publication/publication.events.js';
import type { WebhookOutputEvent } from '../../domain/webhook-output/webhook-output.events.js';
import type { RecordedEventOf } from '../../kernel/events.js';
import type { Tx } from '../engine/projection.js';
import type { Rows } from '../engine/rows.js';
import type { PlannedTargets } from '../planned-targets.js';
import type { AlertRow, OpenPublicationRow, ResourceRow } from './activity.tables.js';
import type { EventCounters } from './event-counters.js';
import type { Feed } from './feed.js';
import type { Standings } from './standings.js';

/** An event that changes rows of the read model; events of all other types are only counted. */
export type HandledEvent = RecordedEventOf<
  | OwnerEvent
  | ChannelEvent
  | ChannelPauseEvent
  | ProjectEvent
  | EndpointEvent
  | WebhookOutputEvent
  | PostEvent
  | PublicationEvent
>;

/** The rows and counts that a batch changes. */
export interface ActivityBatch {
  readonly tx: Tx;
  readonly resources: Rows<ResourceRow>;
  readonly publications: Rows<OpenPublicationRow>;
  readonly planned: PlannedTargets;
  readonly alerts: Rows<AlertRow>;
  readonly standings: Standings;
  readonly counters: EventCounters;
  readonly feed: Feed;
}
