import { isDeepStrictEqual } from 'node:util';
import { Inject, Injectable } from '@nestjs/common';
import type { Settings } from '../config/settings.js';
import { SETTINGS } from '../config/tokens.js';
import { channel as channelDecider } from '../domain/channel/channel.decider.js';
import { addressAt } from '../domain/channel/channel.events.js';
import { publication as decider } from '../domain/publication/publication.decider.js';
import { AggregateStore } from '../event-store/aggregate-store.js';
import { isDamaged } from '../event-store/codec.js';
import { CLOCK, type Clock, type Instant, MINUTE_MS } from '../kernel/clock.js';
import { LOG, type Log } from '../kernel/log.js';
import { PlatformCatalogue, Publishers } from '../platforms/platform-catalogue.js';
import {
  gatewayError,
  type MessageNumbers,
  type NumbersAnswer,
  type Publisher,
  type SendContext,
} from '../platforms/publisher.js';
import { accountBudget, CallTurns } from '../postgres/call-turns.js';
import type { ChannelRow } from '../projections/discovery/discovery.tables.js';
import { sleepUnlessAborted } from '../runtime/sleep.js';
import { SecretVault, UnreadableSecret } from '../secrets/vault.js';
import { STATISTICS_MESSAGES as MESSAGES } from './messages.js';
import { combineMessages, haveChanged, NEWS_MINUTES, nextSampleAt, SAMPLE_MINUTES } from './numbers.js';
import { type Sample, type SampledPublication, StatisticsTable } from './statistics.table.js';

/** Counts a sample by its state. */
export type CountSample = (platform: string, state: 'ok' | 'unavailable' | 'gone') => void;

/** Injection token for {@link CountSample}. */
export const COUNT_SAMPLE = Symbol('CountSample');

const DAY_MINUTES = 1_440;
/** States in which readers see nothing more of a publication. */
const OVER: ReadonlySet<string> = new Set(['withdrawn', 'dismissed', 'filtered']);

/** How long a sample may take. */
export interface Patience {
  /** How long to wait for the turn of a call, in ms. */
  readonly waitMs: number;
  readonly signal: AbortSignal;
}

/** Reads the numbers of publications and stores them. Never flags a channel (D-71), and delays nothing else (D-75). */
@Injectable()
export class Sampler {
  constructor(
    private readonly table: StatisticsTable,
    private readonly publishers: Publishers,
    private readonly catalogue: PlatformCatalogue,
    private readonly vault: SecretVault,
    private readonly turns: CallTurns,
    private readonly aggregates: AggregateStore,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(MINUTE_MS) private readonly minuteMs: number,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'pacing' | 'statisticsDays'>,
    @Inject(LOG) private readonly log: Log,
    @Inject(COUNT_SAMPLE) private readonly count: CountSample,
  ) {}

  /** Removes samples past their retention, of some channels. @returns false if nothing more has to be looked at */
  pruneExpired(): Promise<boolean> {
    const dayMs = DAY_MINUTES * this.minuteMs;
    // By whole days, so that most sweeps change nothing.
    return this.table.prune(Math.floor(this.expiredBefore() / dayMs) * dayMs);
  }

  /** Publications before this time keep their last sample only. */
  private expiredBefore(): Instant {
    return this.clock.now() - this.settings.statisticsDays * DAY_MINUTES * this.minuteMs;
  }

  /**
   * @param channel the publications' channel; null if it is deleted
   * @returns how long to leave the channel alone, in ms, because the network or the pace demands it; null if all is done
   */
  async sample(
    channel: ChannelRow | null,
    publications: readonly SampledPublication[],
    patience: Patience,
  ): Promise<number | null> {
    const publisher = channel && this.publishers.get(channel.platform);
    const settled: Sample[] = [];
    const forgotten: string[] = [];
    const open: SampledPublication[] = [];
    for (const each of publications) {
      const looked = this.lookAt(each, channel);
      if (looked === 'forget') forgotten.push(each.publication_id);
      else if (looked !== 'ask') settled.push(looked);
      else open.push({ ...each, published_at: each.shown!.published_at });
    }
    await this.table.forget(forgotten);
    if (!channel || !publisher?.readNumbers || open.length === 0) {
      await this.store(settled);
      return null;
    }
    const here: SampledPublication[] = [];
    for (const each of await Promise.all(open.map((one) => this.withAddress(one, channel)))) {
      if (this.isOfChat(each, channel)) here.push(each);
      else settled.push(this.sampleOf(each, { kind: 'unavailable', text: MESSAGES.chatChanged }));
    }
    const { messages, postponeMs } = await this.ask(channel, publisher, here, patience);
    const changedPosts = new Set<string>();
    for (const each of here) {
      const says = combineMessages(each.shown!.message_ids, messages);
      if (!says) continue; // asked again later
      const sample = this.sampleOf(each, says);
      settled.push(sample);
      this.count(channel.platform, sample.state!);
      if (says.kind === 'counted' && (each.as_of === null || haveChanged(each, says.numbers)))
        changedPosts.add(each.post_id);
    }
    await this.store(settled, [...changedPosts]);
    return postponeMs;
  }

  /** Decides what to do with a publication: ask, forget it, or only set its next time. */
  private lookAt(each: SampledPublication, channel: ChannelRow | null): Sample | 'ask' | 'forget' {
    const { shown } = each;
    const now = this.clock.now();
    if (!shown) return 'forget';
    if (shown.published_at === null) {
      const age = now - acceptedAt(each.post_id);
      if (OVER.has(shown.state) || age > SAMPLE_MINUTES.at(-1)! * this.minuteMs) return 'forget';
      const next_at = now + Math.max(SAMPLE_MINUTES[0]! * this.minuteMs, age / 2);
      return { ...this.scheduleOf(each), next_at: Math.round(next_at) };
    }
    if (!channel) return { ...this.scheduleOf(each), next_at: null };
    if (OVER.has(shown.state)) return { ...this.scheduleOf(each), next_at: null, state: 'gone' };
    const isOff = channel.settings['statistics'] === 'off' || this.settings.statisticsDays === 0;
    if (isOff || shown.state === 'withdrawing' || shown.message_ids.length === 0) return this.scheduleOf(each);
    return 'ask';
  }

  private scheduleOf({ publication_id, published_at, address, shown }: SampledPublication): Sample {
    const at = shown?.published_at ?? published_at;
    const next_at = at === null ? null : nextSampleAt(at, this.clock.now(), this.minuteMs);
    return { publication_id, published_at: at, address, next_at, state: null, reason: null, numbers: null };
  }

  private sampleOf(each: SampledPublication, says: MessageNumbers): Sample {
    const schedule = this.scheduleOf(each);
    switch (says.kind) {
      case 'counted':
        return { ...schedule, state: 'ok', numbers: says.numbers };
      case 'unavailable':
        return { ...schedule, state: 'unavailable', reason: says.text };
      case 'gone':
        return { ...schedule, state: 'gone' };
    }
  }

  private async store(samples: readonly Sample[], changedPosts: readonly string[] = []): Promise<void> {
    const changes = { posts: changedPosts, at: this.clock.now(), intervalMs: NEWS_MINUTES * this.minuteMs };
    await this.table.store(samples, this.expiredBefore(), changes);
  }

  /** Adds the chat that a publication went to, if the copy lacks it. Events of former releases do not name the chat. */
  private async withAddress(each: SampledPublication, channel: ChannelRow): Promise<SampledPublication> {
    if (each.address) return each;
    try {
      const { state } = await this.aggregates.loadAggregate(decider, each.publication_id);
      if (state.sender) return { ...each, address: state.sender.chat };
    } catch (error) {
      if (!isDamaged(error)) throw error;
    }
    const events = await this.aggregates.readEvents(channelDecider, channel.channel_id);
    return { ...each, address: addressAt(events, each.published_at!) };
  }

  /** In another chat, the id of a message belongs to someone else's (D-70). */
  private isOfChat({ address }: SampledPublication, channel: ChannelRow): boolean {
    const { platform } = channel;
    const chat = this.catalogue.chatOf(platform, channel.address);
    return isDeepStrictEqual(this.catalogue.chatOf(platform, address ?? {}), chat);
  }

  /** Asks the network, with as many calls as it takes. @returns what it said before it, or the pace, demanded a wait */
  private async ask(
    channel: ChannelRow,
    publisher: Publisher,
    publications: readonly SampledPublication[],
    patience: Patience,
  ): Promise<{ readonly messages: Map<string, MessageNumbers>; readonly postponeMs: number | null }> {
    const messages = new Map<string, MessageNumbers>();
    const ids = [...new Set(publications.flatMap(({ shown }) => shown!.message_ids))];
    if (ids.length === 0) return { messages, postponeMs: null };
    const credentials = await this.readCredentials(channel);
    if (!credentials) {
      for (const id of ids) messages.set(id, { kind: 'unavailable', text: MESSAGES.credentialsUnusable });
      return { messages, postponeMs: null };
    }
    const target = { id: channel.channel_id, address: channel.address, settings: { ...channel.settings } };
    const context = { credentials, channel: target, signal: patience.signal };
    const size = publisher.numbersPerCall ?? 1;
    for (let from = 0; from < ids.length; from += size) {
      const chunk = ids.slice(from, from + size);
      const waitMs = await this.waitForTurn(publisher, channel.owner_id, credentials, patience);
      if (waitMs > 0 || patience.signal.aborted) return { messages, postponeMs: waitMs };
      const answer = await publisher.readNumbers!(chunk, context).catch((thrown: unknown): NumbersAnswer => {
        this.log.error({ channel: channel.channel_id, err: thrown }, 'failed to read numbers; this is a bug');
        return { kind: 'retry', error: gatewayError('internal_error', 'internal', ''), afterMs: null };
      });
      if (answer.kind === 'retry') return { messages, postponeMs: answer.afterMs ?? this.minuteMs };
      for (const [id, says] of answer.messages) messages.set(id, says);
    }
    return { messages, postponeMs: null };
  }

  private async readCredentials({
    channel_id,
    credentials_id,
  }: ChannelRow): Promise<SendContext['credentials'] | null> {
    try {
      return await this.vault.readSecret(credentials_id);
    } catch (error) {
      if (!(error instanceof UnreadableSecret)) throw error;
      this.log.error({ channel: channel_id, reason: error.message }, 'credentials cannot be decrypted');
      return null;
    }
  }

  /** Waits for the turn of a call. @returns 0 if it is now; otherwise the ms until it is worth asking again */
  private async waitForTurn(
    publisher: Publisher,
    ownerId: string,
    credentials: SendContext['credentials'],
    { waitMs, signal }: Patience,
  ): Promise<number> {
    const { platform, pace } = publisher;
    if (!this.settings.pacing) return 0;
    const limits = pace.perCredential.map(({ calls, perMs }) => [calls, perMs] as const);
    const account = accountBudget(
      { platform, ownerId, credential: publisher.credentialFor(credentials, false) },
      limits,
    );
    const until = performance.now() + waitMs;
    for (;;) {
      const ms = await this.turns.takeSpare(account, 'statistics');
      if (ms === 0 || signal.aborted || performance.now() + ms > until) return ms;
      await sleepUnlessAborted(ms, signal);
    }
  }
}

/** Reads the time in a post's id (D-2). */
const acceptedAt = (postId: string): Instant => parseInt(postId.slice('post_'.length).slice(0, 12), 16);
