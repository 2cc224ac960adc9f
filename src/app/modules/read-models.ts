import type { Settings } from '../../config/settings.js';
import { activity } from '../../projections/activity/activity.projection.js';
import { ActivityQueries, AlertQueries } from '../../projections/activity/activity.queries.js';
import { audit } from '../../projections/audit/audit.projection.js';
import { discovery } from '../../projections/discovery/discovery.projection.js';
import {
  ChannelPlatforms,
  ChannelsWithoutCredentials,
  FindApproval,
  FindChannelAddresses,
  FindChannelsOfChat,
  FindEndpointTargets,
  FindMissingIds,
  FindResource,
  ListResources,
  LiveEndpoints,
} from '../../projections/discovery/discovery.queries.js';
import { EndpointSnapshots } from '../../projections/discovery/endpoint-snapshots.queries.js';
import { FindKey } from '../../projections/discovery/keys.queries.js';
import { References, ResourceNames } from '../../projections/discovery/references.queries.js';
import type { Projection } from '../../projections/engine/projection.js';
import { ProjectionStatuses } from '../../projections/engine/projection-status.queries.js';
import { Rebuilds } from '../../projections/engine/rebuild/rebuilds.js';
import { media } from '../../projections/media/media.projection.js';
import { MediaQueries } from '../../projections/media/media.queries.js';
import { plannedPosts } from '../../projections/planned-posts/planned-posts.projection.js';
import { PlannedPostQueries } from '../../projections/planned-posts/planned-posts.queries.js';
import { PostHorizon, PostLookup } from '../../projections/posts/archived-posts.queries.js';
import { FindMediaUses } from '../../projections/posts/media-uses.queries.js';
import {
  FindEndpointPost,
  ListEndpointPosts,
  PostExcerpts,
  PostPlaces,
  PostPlans,
  PostStories,
} from '../../projections/posts/post-details.queries.js';
import { PostPayloads } from '../../projections/posts/post-payloads.js';
import { posts } from '../../projections/posts/posts.projection.js';
import { FindPost, ListPosts, PendingApprovalQueries } from '../../projections/posts/posts.queries.js';
import {
  ChannelMessages,
  FindHiddenPublications,
  FindPublication,
  ListReceipts,
  OpenPublicationQueries,
  OpenWithdrawalQueries,
  PublicationDetailsQueries,
} from '../../projections/posts/publications.queries.js';
import { UnsettledContent } from '../../projections/posts/unsettled.queries.js';
import { FindPostsLeft, UsedUpOwners } from '../../projections/posts/usage.queries.js';
import { ChannelTrafficQueries } from '../../projections/publish-schedule/channel-traffic.queries.js';
import { CountHeld, FindHolds } from '../../projections/publish-schedule/holds.queries.js';
import { NextPublicationQueries } from '../../projections/publish-schedule/next-publications.queries.js';
import { publishSchedule } from '../../projections/publish-schedule/publish-schedule.projection.js';
import {
  CountRescheduled,
  PublishScheduleQueries,
  QueuedPublications,
} from '../../projections/publish-schedule/publish-schedule.queries.js';
import { requestLog } from '../../projections/request-log/request-log.projection.js';
import { ListRequests } from '../../projections/request-log/request-log.queries.js';
import { webhookDeliveries } from '../../projections/webhook-deliveries/webhook-deliveries.projection.js';
import {
  DeliveryBodies,
  FindDelivery,
  FindFailedDeliveries,
  ListDeliveries,
  OutputQueues,
} from '../../projections/webhook-deliveries/webhook-deliveries.queries.js';
import { SagaStatuses } from '../../sagas/engine/saga-status.queries.js';

/** Classes that read the read models, and rebuild them. */
export const READ_MODELS = [
  ActivityQueries,
  AlertQueries,
  ChannelMessages,
  ChannelPlatforms,
  ChannelsWithoutCredentials,
  ChannelTrafficQueries,
  CountHeld,
  CountRescheduled,
  DeliveryBodies,
  EndpointSnapshots,
  FindApproval,
  FindChannelsOfChat,
  FindDelivery,
  FindEndpointPost,
  ListEndpointPosts,
  FindEndpointTargets,
  FindFailedDeliveries,
  FindHolds,
  FindMediaUses,
  FindMissingIds,
  FindKey,
  FindPost,
  FindPostsLeft,
  FindHiddenPublications,
  FindPublication,
  FindChannelAddresses,
  FindResource,
  ListDeliveries,
  ListPosts,
  ListReceipts,
  ListRequests,
  ListResources,
  LiveEndpoints,
  MediaQueries,
  NextPublicationQueries,
  OutputQueues,
  PlannedPostQueries,
  OpenPublicationQueries,
  OpenWithdrawalQueries,
  PendingApprovalQueries,
  PostExcerpts,
  PostHorizon,
  PostLookup,
  PostPayloads,
  PostPlaces,
  PostPlans,
  PostStories,
  ProjectionStatuses,
  PublicationDetailsQueries,
  PublishScheduleQueries,
  QueuedPublications,
  Rebuilds,
  References,
  ResourceNames,
  SagaStatuses,
  UnsettledContent,
  UsedUpOwners,
];

/** Returns all projections. */
export const projectionsOf = ({ minuteMs }: Pick<Settings, 'minuteMs'>): readonly Projection[] => [
  discovery,
  publishSchedule(minuteMs),
  posts,
  plannedPosts,
  requestLog,
  audit,
  webhookDeliveries,
  activity,
  media,
];
