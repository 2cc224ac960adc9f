import type { ChannelSettings } from '../../../domain/channel/channel.events.js';
import { type Instant, iso } from '../../../kernel/instant.js';
import type { ChannelRow } from '../../../projections/discovery/discovery.tables.js';
import type { PublicationRow } from '../../../projections/posts/posts.tables.js';

/** D-4. */
const OK_TEXT_LIMIT = 5_000;

/** A channel as the API shows it (management-api.md); its credentials are never shown, only where it is. */
export const channelView = (row: ChannelRow, now: Instant): object => {
  const isPaused = row.paused_until > now;
  return {
    id: row.channel_id,
    owner_id: row.owner_id,
    platform: row.platform,
    name: row.name,
    address: row.address,
    settings: effective(row),
    status: statusOf(row, now),
    attention: row.attention_until > now ? row.attention : null,
    paused_until: isPaused ? iso(row.paused_until) : null,
    pause_source: isPaused ? row.pause_source : null,
    created_at: iso(row.created_at),
  };
};

/** D-26: a refused credential holds the queue until it is replaced or its time is over. */
const statusOf = ({ enabled, attention_until }: ChannelRow, now: Instant): 'ok' | 'needs_attention' | 'disabled' => {
  if (!enabled) return 'disabled';
  return attention_until > now ? 'needs_attention' : 'ok';
};

/** Settings as they work, defaults included (management-api.md: settings). */
const effective = ({ platform, settings }: ChannelRow): ChannelSettings => ({
  on_doubt: 'hold',
  ...(platform === 'ok' && { buttons: 'link', text_limit: OK_TEXT_LIMIT }),
  ...settings,
});

/** D-37. */
export const receiptView = (row: PublicationRow): object => ({
  sequence: row.sequence,
  post_id: row.post_id,
  publication_id: row.publication_id,
  state: row.state,
  message_ids: row.message_ids,
  published_at: row.published_at === null ? null : iso(row.published_at),
});
