import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, type Clock, type Instant, isoOrNull, MINUTE_MS } from '../../kernel/clock.js';
import { PlatformCatalogue, Publishers } from '../../platforms/platform-catalogue.js';
import type { DeleteForecast } from '../../platforms/publisher.js';
import { FindChannelAddresses } from '../../projections/discovery/discovery.queries.js';
import { listRemaining, type PublicationRow } from '../../projections/posts/posts.tables.js';
import { FORECAST_MESSAGES } from './messages.js';

/** A forecast of what can be changed. A take-back is tried whatever it says. */
export class CanView {
  /** Null if only the network knows. */
  readonly withdraw: boolean | null;
  /** Until when the network allows it, ISO 8601, UTC; null if it names no end, and before the publication. */
  readonly withdraw_until: string | null;
  /** What can be edited. */
  readonly edit: readonly ('text' | 'buttons' | 'media')[];
  /** Why it cannot be taken back, or why that is not known; null if it can. */
  readonly text: string | null;

  constructor({ withdraw, until, text }: DeleteForecast) {
    this.withdraw = withdraw;
    this.withdraw_until = isoOrNull(until);
    this.edit = [];
    this.text = text;
  }
}

/** Nothing is sent yet, so nothing has to be deleted. */
const CAN: DeleteForecast = { withdraw: true, until: null, text: null };
const cannot = (text: string): DeleteForecast => ({ withdraw: false, until: null, text });

/** States in which a publication without messages may get some, or already has some that are not known. */
const UNKNOWN: ReadonlySet<PublicationRow['state']> = new Set([
  ...(['publishing', 'in_doubt', 'withdrawing', 'withdraw_failed'] as const),
]);

/** Predicts what can be changed after publishing. */
@Injectable()
export class ChangeForecasts {
  constructor(
    private readonly publishers: Publishers,
    private readonly catalogue: PlatformCatalogue,
    private readonly addresses: FindChannelAddresses,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(MINUTE_MS) private readonly minuteMs: number,
  ) {}

  /** Returns the forecasts by publication id. */
  async forecast(rows: readonly PublicationRow[]): Promise<ReadonlyMap<string, CanView>> {
    const addresses = await this.addresses.execute(rows.filter(isOnNetwork).map(({ channel_id }) => channel_id));
    return new Map(
      rows.map((row) => [row.publication_id, new CanView(this.forecastOf(row, addresses.get(row.channel_id)))]),
    );
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

/** True if readers may see something of the publication, or will in a moment. */
const isOnNetwork = (row: PublicationRow): boolean => UNKNOWN.has(row.state) || listRemaining(row).length > 0;
