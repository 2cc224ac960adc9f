import { FlagChannel, FlagChannelHandler } from '../../commands/channel/flag-channel.js';
import type { Attention } from '../../domain/channel/channel.events.js';
import type { AggregateStore } from '../../event-store/aggregate-store.js';
import type { EventStore } from '../../event-store/port.js';
import type { Clock } from '../../kernel/clock.js';
import { newUuid } from '../../kernel/ids.js';
import type { Log } from '../../kernel/log.js';
import type { PlatformCatalogue } from '../../platforms/platform-catalogue.js';
import type { Leases } from '../../postgres/leases.js';
import type {
  ChannelsWithoutCredentials,
  ChannelWithoutCredentials,
} from '../../projections/discovery/channels-without-credentials.queries.js';
import type { ProjectionProgress } from '../../projections/engine/progress.js';
import { sleepUnlessAborted } from '../../runtime/sleep.js';
import { runUnderLease } from '../engine/run-under-lease.js';
import { LOST_CREDENTIALS_MESSAGES } from './messages.js';

/** Dependencies of {@link FlagMissingCredentials}. */
export interface FlagMissingCredentialsDependencies {
  readonly channels: Pick<ChannelsWithoutCredentials, 'find'>;
  readonly aggregates: AggregateStore;
  readonly store: EventStore;
  readonly progress: Pick<ProjectionProgress, 'waitUntilCaughtUp'>;
  readonly platforms: PlatformCatalogue;
  readonly leases: Leases;
  readonly clock: Clock;
  readonly log: Log;
}

const NAME = 'flag-missing-credentials';
/** Interval of the sweeps in ms. */
const SWEEP_MS = 5_000;
/** Channels in one sweep at most; the next follows at once where there are more. */
const BATCH_SIZE = 100;
const RETRY = { firstMs: 100, longestMs: 10_000 };

/**
 * Flags channels whose credentials are not in the vault, before a post meets it: credentials lie in PostgreSQL alone and do not
 * come back with the read models when PostgreSQL was lost and the events were kept.
 */
export class FlagMissingCredentials {
  private readonly flagChannel: FlagChannelHandler;

  constructor(private readonly deps: FlagMissingCredentialsDependencies) {
    this.flagChannel = new FlagChannelHandler(deps.aggregates);
  }

  /** Runs until the signal is aborted, in one process at a time. */
  run(signal: AbortSignal): Promise<void> {
    const { leases, log } = this.deps;
    const logFailure = (error: string): void =>
      log.warn({ error }, 'failed to look for channels without credentials; retrying');
    const work = (held: AbortSignal): Promise<void> => this.sweepUntil(held);
    return runUnderLease(leases, { lease: NAME, retry: RETRY, logFailure, work }, signal);
  }

  private async sweepUntil(signal: AbortSignal): Promise<void> {
    const { progress, store } = this.deps;
    while (!signal.aborted) {
      await progress.waitUntilCaughtUp(['discovery'], store);
      const flagged = await this.sweep(signal);
      if (flagged < BATCH_SIZE) await sleepUnlessAborted(SWEEP_MS, signal);
    }
  }

  /** Flags a batch of channels. Returns how many. */
  private async sweep(signal: AbortSignal): Promise<number> {
    const { channels, clock, log } = this.deps;
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

  /** @returns false if other credentials have been set meanwhile */
  private async flag({ channelId, platform, address, credentialsId }: ChannelWithoutCredentials): Promise<boolean> {
    const at = this.deps.clock.now();
    const commandId = newUuid();
    const origin = { actor: `system:${NAME}`, requestId: '', causationId: commandId, correlationId: commandId };
    const attention = this.describe(platform, address);
    const refusal = { channelId, credentialsId, at, acceptedAt: at, attention };
    const flag = new FlagChannel({ ...origin, clientAddress: null, commandId, at }, refusal);
    const state = await this.flagChannel.execute(flag);
    return state !== null && state.attentionUntil > at;
  }

  /** Names what the owner enters: the secret fields with what they are, and the address that the channel has. */
  private describe(platform: string, address: Readonly<Record<string, string>>): Attention {
    const fields = Object.entries(this.deps.platforms.find(platform)?.credentials ?? {}).flatMap(([name, field]) => {
      if (field.kind === 'secret') return [`${name} (${field.example})`];
      return field.kind === 'address' ? [`${name} (${address[name] ?? field.example})`] : [];
    });
    const text = LOST_CREDENTIALS_MESSAGES.enterAgain({ fields: fields.join(', ') });
    return { code: 'credentials_missing', message: text, platform_says: null, remedies: ['replace_credentials'] };
  }
}
