import type { Address, ChannelSettings, Platform, Remedy } from '../../../domain/channel/channel.events.js';
import { type Instant, iso, isoOrNull } from '../../../kernel/instant.js';
import type { PlatformCatalogue } from '../../../platforms/platform-catalogue.js';
import type { ChannelStatus } from '../../../projections/discovery/discovery.queries.js';
import type { ChannelRow, DatedAttention } from '../../../projections/discovery/discovery.tables.js';
import type { PublicationRow, PublicationViewState } from '../../../projections/posts/posts.tables.js';
import { CHANNEL_MESSAGES } from '../messages.js';
import { effectiveSettings } from './channel-settings.js';
import type { ChannelTest } from './channel-tester.js';

/** States of a channel. */
export const CHANNEL_STATUSES = ['ok', 'needs_attention', 'disabled'] as const satisfies readonly ChannelStatus[];

/** A channel as returned by the API (management-api.md: Routes). Of its credentials, only the address is included. */
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
  readonly status: ChannelStatus;
  /** The refusal that holds the queue (D-26, D-50); null if there is none. */
  readonly attention: AttentionView | null;
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
    this.attention =
      row.attention && row.attention_until > now ? new AttentionView(row.channel_id, row.attention) : null;
    this.paused_until = isPaused ? iso(row.paused_until) : null;
    this.pause_source = isPaused ? row.pause_source : null;
    this.created_at = iso(row.created_at);
  }
}

/** A refusal holds the queue for 24 hours, or until new credentials or a retry (D-26, D-50). */
const statusOf = ({ enabled, attention_until }: ChannelRow, now: Instant): ChannelStatus => {
  if (!enabled) return 'disabled';
  return attention_until > now ? 'needs_attention' : 'ok';
};

/** A possible mistake in a channel's setup that does not stop it from publishing. */
export interface ChannelWarning {
  readonly code: 'same_chat';
  /** The other channel. */
  readonly channel_id: string;
  readonly message: string;
}

/**
 * A channel with the test result for its new credentials, which are stored even if the test fails or there are
 * warnings.
 */
export type TestedChannelView = ChannelView & {
  readonly test: ChannelTest;
  readonly warnings: readonly ChannelWarning[];
};

/** The reason a channel cannot post, and how to fix it (D-50). */
export class AttentionView {
  /** For example `chat_not_found` or `credentials_missing`. */
  readonly code: string;
  /** Explains what was refused and what to do about it. */
  readonly message: string;
  /** The network's own message; null if it gave none. */
  readonly platform_says: string | null;
  /** Time of the refusal (ISO 8601, UTC). */
  readonly since: string;
  /** Possible remedies, most likely first. */
  readonly actions: readonly AttentionAction[];

  constructor(channelId: string, { code, message, platform_says, since, remedies }: DatedAttention) {
    this.code = code;
    this.message = message;
    this.platform_says = platform_says;
    this.since = iso(since);
    this.actions = remedies.map((remedy) => actionFor(remedy, channelId, message));
  }
}

/** A remedy for the refusal. */
export interface AttentionAction {
  readonly code: Remedy;
  readonly message: string;
  /** Method and path of the call that applies it; null for a change that must be made on the network. */
  readonly call: string | null;
}

const actionFor = (code: Remedy, channelId: string, reason: string): AttentionAction => {
  const path = `/manage/v1/channels/${channelId}`;
  switch (code) {
    case 'fix_on_platform':
      return { code, message: reason, call: null };
    case 'replace_credentials':
      return { code, message: CHANNEL_MESSAGES.replaceCredentials, call: `PATCH ${path}` };
    case 'retry':
      return { code, message: CHANNEL_MESSAGES.retry, call: `POST ${path}/retry` };
  }
};

/** A publication in a channel's gapless sequence (D-37; management-api.md: Routes). */
export class ReceiptView {
  /** Number of the publication in its channel, from 1. */
  readonly sequence: number;
  readonly post_id: string;
  readonly publication_id: string;
  readonly state: PublicationViewState;
  /** Message ids on the network. */
  readonly message_ids: readonly string[];
  /** ISO 8601, UTC; null if it is not published. */
  readonly published_at: string | null;

  constructor(row: PublicationRow) {
    this.sequence = row.sequence!; // the list contains only numbered publications
    this.post_id = row.post_id;
    this.publication_id = row.publication_id;
    this.state = row.state;
    this.message_ids = row.message_ids;
    this.published_at = isoOrNull(row.published_at);
  }
}
