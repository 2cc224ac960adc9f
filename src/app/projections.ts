import type { Settings } from '../config/settings.js';
import { activity } from '../projections/activity/activity.projection.js';
import { audit } from '../projections/audit/audit.projection.js';
import { discovery } from '../projections/discovery/discovery.projection.js';
import type { Projection } from '../projections/engine/projection.js';
import { media } from '../projections/media/media.projection.js';
import { plannedPosts } from '../projections/planned-posts/planned-posts.projection.js';
import { posts } from '../projections/posts/posts.projection.js';
import { publishSchedule } from '../projections/publish-schedule/publish-schedule.projection.js';
import { requestLog } from '../projections/request-log/request-log.projection.js';
import { webhookDeliveries } from '../projections/webhook-deliveries/webhook-deliveries.projection.js';

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
