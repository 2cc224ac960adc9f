import type { RowTable } from '../engine/rows.js';
import type {
  AlertRow,
  FeedEndRow,
  FeedRow,
  MinuteRow,
  OpenPublicationRow,
  ResourceRow,
  StandingRow,
  TenMinutesRow,
} from './activity.tables.js';

/** Definition of the table of resources. */
export const resourceRows: RowTable<ResourceRow> = {
  name: 'resource',
  key: 'resource_id',
  columns: ['resource_id', 'owner_id', 'platform', 'is_deleted'],
};

const ORIGIN = ['post_id', 'owner_id', 'channel_id', 'platform', 'accepted_at'] as const;

/** Definition of the table of publications. */
export const openPublicationRows: RowTable<OpenPublicationRow> = {
  name: 'publication',
  key: 'publication_id',
  columns: [...ORIGIN, 'publication_id', 'state', 'retry_rule', 'retry_at', 'settled_at'],
  fixed: ORIGIN,
  types: {
    ...({ publication_id: 'text', post_id: 'text', owner_id: 'text', channel_id: 'text', platform: 'text' } as const),
    ...({
      accepted_at: 'bigint',
      state: 'text',
      retry_rule: 'text',
      retry_at: 'bigint',
      settled_at: 'bigint',
    } as const),
  },
};

/** Definition of the table of numbers by owner and network. */
export const standingRows: RowTable<StandingRow> = {
  name: 'standing',
  key: 'standing_key',
  columns: [
    ...(['standing_key', 'owner_id', 'platform', 'queued', 'publishing', 'failed', 'in_doubt'] as const),
    'last_published_at',
  ],
  fixed: ['owner_id', 'platform'],
};

/** Definition of the table of minutes. */
export const minuteRows: RowTable<MinuteRow> = {
  name: 'minute',
  key: 'minute_key',
  columns: [
    ...(['minute_key', 'owner_id', 'platform', 'at', 'published', 'failed', 'in_doubt', 'refused'] as const),
    'latencies',
  ],
  fixed: ['owner_id', 'platform'],
};

/** Definition of the table of ten minutes. */
export const tenMinutesRows: RowTable<TenMinutesRow> = {
  name: 'ten_minutes',
  key: 'ten_minutes_key',
  columns: ['ten_minutes_key', 'owner_id', 'at', 'events', 'failed', 'in_doubt'],
  fixed: ['owner_id'],
};

/** Definition of the table of the latest events. */
export const feedRows: RowTable<FeedRow> = {
  name: 'feed',
  key: 'feed_key',
  columns: ['feed_key', 'owner_id', 'number', 'at', 'kind', 'subject_id', 'post_id', 'platform'],
  fixed: ['owner_id'],
};

/** Definition of the table of the feeds' ends. */
export const feedEndRows: RowTable<FeedEndRow> = {
  name: 'feed_end',
  key: 'owner_id',
  columns: ['owner_id', 'entries'],
};

/** Definition of the table of alerts. */
export const alertRows: RowTable<AlertRow> = {
  name: 'alert',
  key: 'resource_id',
  columns: ['resource_id', 'kind', 'owner_id', 'since', 'ends_at', 'disabled_by', 'reason'],
};
