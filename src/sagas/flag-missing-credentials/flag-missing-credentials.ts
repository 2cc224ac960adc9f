import { Inject, Injectable } from '@nestjs/common';
import { flagChannel } from '../../commands/channel.js';
import type { Attention } from '../../domain/channel/channel.events.js';
import { AggregateStore } from '../../event-store/aggregate-store.js';
import { EVENT_STORE, type EventStore } from '../../event-store/port.js';
import { CLOCK, type Clock } from '../../kernel/clock.js';
import { newUuid } from '../../kernel/ids.js';
import { LOG, type Log } from '../../kernel/log.js';
import { PlatformCatalogue } from '../../platforms/platform-catalogue.js';
import { Leases } from '../../postgres/leases.js';
import {
  ChannelsWithoutCredentials,
  type ChannelWithoutCredentials,
} from '../../projections/discovery/discovery.queries.js';
import { ProjectionProgress } from '../../projections/engine/progress.js';
import { sleepUnlessAborted } from '../../runtime/sleep.js';
import { runUnderLease } from '../engine/run-under-lease.js';
import { LOST_CREDENTIALS_MESSAGES } from './messages.js';

const NAME = 'flag-missing-credentials';
/** Interval of the sweeps, in ms. */
const SWEEP_MS = 5_000;
/** Maximum number of channels per sweep. */
const BATCH_SIZE = 100;
const RETRY = { firstMs: 100, longestMs: 10_000 };

/**
 * Flags channels whose credentials are missing from the vault, before a post to them fails. Credentials exist only in
 * PostgreSQL and cannot be rebuilt from the events.
 */
@Injectable()
export class FlagMissingCredentials {
  constructor(
    private readonly channels: ChannelsWithoutCredentials,
    private readonly aggregates: AggregateStore,
    @Inject(EVENT_STORE) private readonly store: EventStore,
    private readonly progress: ProjectionProgress,
    private readonly platforms: PlatformCatalogue,
    private readonly leases: Leases,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOG) private readonly log: Log,
  ) {}

  /** Runs until the signal is aborted, in one process at a time. */
  run(signal: AbortSignal): Promise<void> {
    const { leases, log, progress, store } = this;
    const failure = 'failed to look for channels without credentials; retrying';
    const work = async (held: AbortSignal): Promise<void> => {
      while (!held.aborted) {
        await progress.waitUntilCaughtUp(['discovery'], store);
        const flagged = await this.sweep(held);
        if (flagged < BATCH_SIZE) await sleepUnlessAborted(SWEEP_MS, held);
      }
    };
    return runUnderLease(leases, log, { lease: NAME, retry: RETRY, failure, work }, signal);
  }

  /** Flags a batch of channels and returns how many. */
  private async sweep(signal: AbortSignal): Promise<number> {
    const { channels, clock, log } = this;
    const found = await channels.find(clock.now(), BATCH_SIZE);
    let flagged = 0;
    for (const channel of found) {
      if (signal.aborted) break;
      if (await this.flag(channel)) flagged += 1;
    }
    if (flagged > 0)
      log.warn({ channels: flagged }, 'channels have no credentials in this database: their owners must enter them');
    return flagged;
  }

  /** @returns false if other credentials have been set in the meantime */
  private async flag({ channelId, platform, address, credentialsId }: ChannelWithoutCredentials): Promise<boolean> {
    const at = this.clock.now();
    const commandId = newUuid();
    const origin = { actor: `system:${NAME}`, requestId: '', causationId: commandId, correlationId: commandId };
    const attention = this.describe(platform, address);
    const refusal = { channelId, credentialsId, at, acceptedAt: at, attention };
    const context = { ...origin, clientAddress: null, commandId, at };
    const state = await flagChannel(this.aggregates, context, refusal);
    return state !== null && state.attentionUntil > at;
  }

  /** Lists the fields that the owner must enter. */
  private describe(platform: string, address: Readonly<Record<string, string>>): Attention {
    const fields = Object.entries(this.platforms.find(platform)?.credentials ?? {}).flatMap(([name, field]) => {
      if (field.kind === 'secret') return [`${name} (${field.example})`];
      return field.kind === 'address' ? [`${name} (${address[name] ?? field.example})`] : [];
    });
    const text = LOST_CREDENTIALS_MESSAGES.enterAgain({ fields: fields.join(', ') });
    return { code: 'credentials_missing', message: text, platform_says: null, remedies: ['replace_credentials'] };
  }
}
