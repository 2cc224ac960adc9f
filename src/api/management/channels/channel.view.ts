import type { Address, Attention, ChannelSettings, Platform } from '../../../domain/channel/channel.events.js';
import { type Instant, iso, isoOrNull } from '../../../kernel/instant.js';
import type { PlatformCatalogue } from '../../../platforms/platform-catalogue.js';
import type { ChannelRow } from '../../../projections/discovery/discovery.tables.js';
import type { PublicationRow, PublicationViewState } from '../../../projections/posts/posts.tables.js';
import { effectiveSettings } from './channel-settings.js';

/** A channel as the API shows it (management-api.md: Routes). Its credentials are never shown, only its address. */
export class ChannelView {
  /** `tgt_…` */
  readonly id: string;
  readonly owner_id: string;
  readonly platform: Platform;
  readonly name: string;
  /** The public part of the credentials: the chat or group. */
  readonly address: Address;
  /** The settings in effect, defaults included. */
  readonly settings: ChannelSettings;
  readonly status: 'ok' | 'needs_attention' | 'disabled';
  /** The refusal of the credentials that holds the queue (D-26); null if there is none. */
  readonly attention: Attention | null;
  /** End of the channel's pause (ISO 8601, UTC); null if it is not paused. */
  readonly paused_until: string | null;
  /** `temp-pause`, `management` or `publication`; null if the channel is not paused. */
  readonly pause_source: string | null;
  /** ISO 8601, UTC. */
  readonly created_at: string;

  constructor(row: ChannelRow, now: Instant, platforms: PlatformCatalogue) {
    const isPaused = row.paused_until > now;
    this.id = row.channel_id;
    this.owner_id = row.owner_id;
    this.platform = row.platform;
    this.name = row.name;
    this.address = row.address;
    this.settings = effectiveSettings(row.settings, platforms.find(row.platform));
    this.status = statusOf(row, now);
    this.attention = row.attention_until > now ? row.attention : null;
    this.paused_until = isPaused ? iso(row.paused_until) : null;
    this.pause_source = isPaused ? row.pause_source : null;
    this.created_at = iso(row.created_at);
  }
}

/** Refused credentials hold the queue until they are replaced or 24 hours have passed (D-26). */
const statusOf = ({ enabled, attention_until }: ChannelRow, now: Instant): ChannelView['status'] => {
  if (!enabled) return 'disabled';
  return attention_until > now ? 'needs_attention' : 'ok';
};

/** A publication in a channel's gapless sequence (D-37; management-api.md: Routes). */
export class ReceiptView {
  /** Number of the publication in its channel, from 1. */
  readonly sequence: number;
  readonly post_id: string;
  readonly publication_id: string;
  readonly state: PublicationViewState;
  /** Ids of the network's messages. */
  readonly message_ids: readonly string[];
  /** ISO 8601, UTC; null if it is not published. */
  readonly published_at: string | null;

  constructor(row: PublicationRow) {
    this.sequence = row.sequence;
    this.post_id = row.post_id;
    this.publication_id = row.publication_id;
    this.state = row.state;
    this.message_ids = row.message_ids;
    this.published_at = isoOrNull(row.published_at);
  }
}
