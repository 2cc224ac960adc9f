import { Inject, Injectable } from '@nestjs/common';
import type { PublicationError } from '../../domain/publication/publication.events.js';
import { isStoreOutage } from '../../event-store/port.js';
import { CLOCK, type Clock, type Instant, iso, isoOrNull, MINUTE_MS } from '../../kernel/clock.js';
import { asSentence } from '../../kernel/message.js';
import { contentFor } from '../../payload/overrides.js';
import type { PublishPayload } from '../../payload/payload.js';
import { PlatformCatalogue, Publishers } from '../../platforms/platform-catalogue.js';
import {
  type DeleteForecast,
  type EditForecast,
  type PlatformChannel,
  type PlatformPost,
  toPlatformPost,
} from '../../platforms/publisher.js';
import { PROCESSING_MESSAGES } from '../../processing/messages.js';
import { FindChannelAddresses } from '../../projections/discovery/discovery.queries.js';
import { PostPlaces, type PostSummary } from '../../projections/posts/post-details.queries.js';
import { PostPayloads } from '../../projections/posts/post-payloads.js';
import {
  listRemaining,
  type PublicationRow,
  type RowEdit,
  type RowWithdrawal,
} from '../../projections/posts/posts.tables.js';
import { FORECAST_MESSAGES, WAITING_MESSAGES as TEXTS } from './messages.js';

/** What the change of messages waits for. */
export class ChangeWaitView {
  readonly rule: NonNullable<RowWithdrawal['waiting']>['rule'];
  /** ISO 8601, UTC. */
  readonly until: string;
  /** Human-readable sentence. */
  readonly text: string;

  constructor(
    { rule, until }: NonNullable<RowWithdrawal['waiting']>,
    error: PublicationError | null,
    texts: (typeof TEXTS)['withdrawal' | 'edit'] = TEXTS.withdrawal,
  ) {
    this.rule = rule;
    this.until = iso(until);
    this.text = texts[rule]({ until: this.until, error: error ? asSentence(error.message) : '' });
  }
}

/** The latest take-back of a publication, as shown to the client of its endpoint (D-69). */
export class WithdrawalStatusView {
  /** ISO 8601, UTC. */
  readonly requested_at: string;
  readonly reason: string | null;
  /** Number of tries that did not end it. */
  readonly attempts: number;
  /** Ids of the messages that readers may still see. */
  readonly remaining: readonly string[];
  /** Null if nothing delays it. */
  readonly waiting_for: ChangeWaitView | null;
  /** Why it failed, or the latest try did; `message` says what to do. */
  readonly error: PublicationError | null;
  /** ISO 8601, UTC; null while messages are being deleted. */
  readonly ended_at: string | null;

  constructor(withdrawal: RowWithdrawal, remaining: readonly string[]) {
    const { requested_at, reason, attempts, waiting, error, ended_at } = withdrawal;
    this.requested_at = iso(requested_at);
    this.reason = reason;
    this.attempts = attempts;
    this.remaining = remaining;
    this.waiting_for = waiting && new ChangeWaitView(waiting, error);
    this.error = error;
    this.ended_at = isoOrNull(ended_at);
  }
}

/** Content that is newer than what readers see on one channel (D-72). */
export class EditView {
  /** Revision of the post. */
  readonly revision: number;
  /** `waiting` until messages may be changed; `failed` if they keep the content that they have. */
  readonly state: 'waiting' | 'editing' | 'failed';
  /** Number of tries that did not end it. */
  readonly attempts: number;
  /** Ids of the messages that show the content already. */
  readonly done: readonly string[];
  /** Null if nothing delays it. */
  readonly waiting_for: ChangeWaitView | null;
  /** Why it failed, or the latest try did; `message` says what to do. */
  readonly error: PublicationError | null;

  constructor({ revision, attempts, done, waits, waiting, error, has_failed }: RowEdit) {
    this.revision = revision;
    this.state = has_failed ? 'failed' : waits || waiting ? 'waiting' : 'editing';
    this.attempts = attempts;
    this.done = done;
    this.waiting_for = waiting && new ChangeWaitView(waiting, error, TEXTS.edit);
    this.error = error;
  }
}

/** Returns the newer content that readers' messages go to; null if there is none, or readers see no message yet. */
export const editOf = ({ state, edit, message_ids }: PublicationRow): EditView | null => {
  if (!edit || state === 'dismissed' || state === 'filtered') return null;
  const isNext = edit.waits && state !== 'publishing' && message_ids.length === 0;
  return isNext ? null : new EditView(edit);
};

/** A forecast of what can be changed. A take-back is tried whatever it says. */
export class CanView {
  /** Null if only the network knows. */
  readonly withdraw: boolean | null;
  /** Until when the network allows it, ISO 8601, UTC; null if it names no end, and before the publication. */
  readonly withdraw_until: string | null;
  /** What can be edited. */
  readonly edit: EditForecast['edit'];
  /** Why something is missing, or why that is not known; null if nothing is. */
  readonly text: string | null;

  constructor({ withdraw, until, text }: DeleteForecast, { edit, text: missing }: EditForecast) {
    this.withdraw = withdraw;
    this.withdraw_until = isoOrNull(until);
    this.edit = edit;
    this.text = [text, missing].filter((each) => each !== null).join(' ') || null;
  }
}

/** Nothing is sent yet, so nothing has to be deleted. */
const CAN: DeleteForecast = { withdraw: true, until: null, text: null };
const cannot = (text: string): DeleteForecast => ({ withdraw: false, until: null, text });

/** Nothing is sent yet, so any content can be. */
const ALL: EditForecast = { edit: ['text', 'buttons', 'media'], text: null };
const NOTHING: EditForecast = { edit: [], text: null };

/** States in which a publication without messages may get some, or already has some that are not known. */
const UNKNOWN: ReadonlySet<PublicationRow['state']> = new Set([
  ...(['publishing', 'in_doubt', 'withdrawing', 'withdraw_failed'] as const),
]);

/** States in which readers will see the newest content with the next attempt, if there is one. */
const UNSENT: ReadonlySet<PublicationRow['state']> = new Set([
  ...(['planned', 'queued', 'failed', 'in_doubt'] as const),
]);

/** Predicts what can be changed after publishing. */
@Injectable()
export class ChangeForecasts {
  constructor(
    private readonly publishers: Publishers,
    private readonly catalogue: PlatformCatalogue,
    private readonly addresses: FindChannelAddresses,
    private readonly places: PostPlaces,
    private readonly payloads: PostPayloads,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(MINUTE_MS) private readonly minuteMs: number,
  ) {}

  /** Returns the forecasts by publication id. */
  async forecast(rows: readonly PublicationRow[]): Promise<ReadonlyMap<string, CanView>> {
    const sent = rows.filter(isOnNetwork);
    const addresses = await this.addresses.execute(sent.map(({ channel_id }) => channel_id));
    const contents = await this.readContents(sent);
    return new Map(
      rows.map((row) => {
        const address = addresses.get(row.channel_id);
        const edit = this.forecastEdit(row, address, contents.get(row.post_id));
        return [row.publication_id, new CanView(this.forecastOf(row, address), edit)];
      }),
    );
  }

  /** Predicts what can be edited in a published post. */
  forecastEditOf(platform: string, address: PlatformChannel['address'], post: PlatformPost): EditForecast {
    const publisher = this.publishers.get(platform);
    return (
      publisher.canEdit?.(post, { id: '', address, settings: {} }) ?? {
        edit: [],
        text: PROCESSING_MESSAGES.editUnsupported,
      }
    );
  }

  private forecastEdit(
    row: PublicationRow,
    address: PlatformChannel['address'] | undefined,
    payload: PublishPayload | undefined,
  ): EditForecast {
    if (row.message_ids.length === 0 && UNSENT.has(row.state)) return ALL;
    const isSeen = row.state === 'publishing' || row.published_at !== null;
    if (!isSeen || row.state === 'withdrawing' || row.state === 'withdrawn' || !address || !payload) return NOTHING;
    const { channel_id: channelId, platform } = row;
    return this.forecastEditOf(platform, address, toPlatformPost(contentFor(payload, { channelId, platform })));
  }

  /** Reads the content of a single post. Of several, only as much as lists know: media then count as photos. */
  private async readContents(rows: readonly PublicationRow[]): Promise<ReadonlyMap<string, PublishPayload>> {
    const posts = await this.places.findSummaries([...new Set(rows.map(({ post_id }) => post_id))]);
    const [only] = posts;
    const payload = only && posts.length === 1 && !only.in_parts ? await this.readPayload(only) : null;
    return new Map(posts.map((post) => [post.post_id, payload ?? outlineOf(post)]));
  }

  /** Returns null if it cannot be read now. */
  private readPayload({ stream, content_revision }: PostSummary): Promise<PublishPayload | null> {
    return this.payloads.readPayload(stream, content_revision).catch((error: unknown) => {
      if (isStoreOutage(error)) return null;
      throw error;
    });
  }

  /** @param address the channel's @param publishedAt null before the publication */
  forecastFor(
    platform: string,
    address: Readonly<Record<string, string>>,
    publishedAt: Instant | null = null,
  ): DeleteForecast {
    const publisher = this.publishers.get(platform);
    if (!publisher.canDelete)
      return cannot(FORECAST_MESSAGES.notSupported({ network: this.catalogue.get(platform).title }));
    return publisher.canDelete({ id: '', address, settings: {} }, publishedAt, this.clock.now(), this.minuteMs);
  }

  private forecastOf(row: PublicationRow, address: Readonly<Record<string, string>> | undefined): DeleteForecast {
    if (!isOnNetwork(row))
      return row.state === 'planned' || row.state === 'queued' ? CAN : cannot(FORECAST_MESSAGES.nothing);
    if (!address) return cannot(FORECAST_MESSAGES.channelDeleted);
    const sentAt = row.state === 'publishing' ? null : (row.published_at ?? row.attempts.at(-1)?.started_at ?? null);
    return this.forecastFor(row.platform, address, sentAt);
  }
}

const outlineOf = ({ excerpt, media_count }: PostSummary): PublishPayload => ({
  ...(excerpt !== null && { text: excerpt }),
  media: Array.from({ length: media_count ?? 0 }, () => ({ type: 'photo', url: '' })),
});

/** True if readers may see something of the publication, or will in a moment. */
const isOnNetwork = (row: PublicationRow): boolean => UNKNOWN.has(row.state) || listRemaining(row).length > 0;
