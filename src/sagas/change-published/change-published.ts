import { isDeepStrictEqual } from 'node:util';
import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import { flagChannel } from '../../commands/channel.js';
import { type CommandContext, newCommandContext } from '../../commands/command.js';
import { type ProgressCommand, recordPublicationProgress } from '../../commands/publication.js';
import { nextChangeOf } from '../../domain/publication/edit.js';
import { publication as decider } from '../../domain/publication/publication.decider.js';
import type { ChangeRule, PublicationError } from '../../domain/publication/publication.events.js';
import { listRemaining } from '../../domain/publication/withdrawal.js';
import { AggregateStore } from '../../event-store/aggregate-store.js';
import type { Position } from '../../event-store/port.js';
import { CLOCK, type Clock, type Instant, MINUTE_MS } from '../../kernel/clock.js';
import { LOG, type Log } from '../../kernel/log.js';
import { asSentence } from '../../kernel/message.js';
import { isRejection } from '../../kernel/result.js';
import { PlatformCatalogue, Publishers } from '../../platforms/platform-catalogue.js';
import {
  type DeleteOutcome,
  gatewayError,
  type Publisher,
  type PublishError,
  type SendContext,
} from '../../platforms/publisher.js';
import { Leases } from '../../postgres/leases.js';
import { POOL } from '../../postgres/tokens.js';
import { PostStories } from '../../projections/posts/post-details.queries.js';
import { PublishScheduleQueries } from '../../projections/publish-schedule/publish-schedule.queries.js';
import { SCHEDULE, type ScheduledChange } from '../../projections/publish-schedule/publish-schedule.tables.js';
import { backoffDelay } from '../../runtime/backoff.js';
import { SecretVault } from '../../secrets/vault.js';
import { DueClaims, type DueSource, DueWork, DueWorkServices } from '../engine/due-work.js';
import { GroupConcurrency } from '../engine/group-concurrency.js';
import type { LoadedPublication } from '../publish-due-posts/attempt/attempt-state.js';
import { attentionOf, type Channel, readCredentials } from '../publish-due-posts/attempt/publication-attempt.js';
import { Pacing } from '../publish-due-posts/attempt/start-limits.js';
import { ChannelStates } from '../publish-due-posts/inputs/waiting-publications.js';
import { DoubtfulSends } from './doubtful-sends.js';
import { type ChangeInputs, type ClaimedChange, EditPublished, type NextCommand } from './edit-published.js';
import { nameChat } from './former-publications.js';
import { WITHDRAWAL_MESSAGES as MESSAGES } from './messages.js';
import { COUNT_CHANGE, type CountChange, reportChange } from './report-change.js';

const NAME = 'change-published';
/** Delays between tries, in ms. */
const RETRY = { firstMs: 1_000, longestMs: 5 * 60_000 };
/** How long to keep trying to delete a message, in minutes. */
const LONGEST_MINUTES = 24 * 60;

/** The publications whose messages are to be changed. Unlike channels, they wait for no queue. */
export const DUE_CHANGES: DueSource = {
  prefix: 'change/',
  table: `${SCHEDULE}.change`,
  key: 'publication_id',
  group: 'platform',
  owner: 'owner_id',
  unless: 'select is_open from ops_recovery', // what was waiting is not marked yet (D-80)
};

/** Maximum number of publications of one network that a process changes at a time, besides those that it publishes. */
const CHANGES_PER_NETWORK = 64;

/** What a call to the network needs. */
interface Call {
  readonly channel: Channel;
  readonly publisher: Publisher;
  readonly publication: LoadedPublication;
  readonly messageId: string;
  readonly credentials: SendContext['credentials'];
}

/**
 * Deletes the messages of publications that were taken back (D-69), and edits and pins others. Deleting can be repeated,
 * so a call that was not answered is simply made again: no call is in doubt. The stream is authoritative, not the
 * schedule.
 */
@Injectable()
export class ChangePublished {
  private readonly work: DueWork<ScheduledChange>;

  constructor(
    services: DueWorkServices,
    @Inject(POOL) pool: Pool,
    schedule: PublishScheduleQueries,
    private readonly aggregates: AggregateStore,
    private readonly publishers: Publishers,
    private readonly catalogue: PlatformCatalogue,
    private readonly channels: ChannelStates,
    readonly vault: SecretVault,
    private readonly pacing: Pacing,
    private readonly doubts: DoubtfulSends,
    private readonly leases: Leases,
    private readonly stories: PostStories,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(MINUTE_MS) private readonly minuteMs: number,
    @Inject(LOG) readonly log: Log,
    @Inject(COUNT_CHANGE) readonly count: CountChange,
    private readonly edits: EditPublished,
  ) {
    this.work = new DueWork<ScheduledChange>(
      {
        claims: new DueClaims(pool, services.leases, DUE_CHANGES),
        concurrency: new GroupConcurrency(catalogue.ids, CHANGES_PER_NETWORK),
        keyName: 'publication',
        activity: 'changing',
        notification: 'change',
        isRare: true,
        readModels: ['publish-schedule', 'posts', 'discovery'],
        schedule: 'publish-schedule',
        readQueue: (publicationId, now) => schedule.readChange(publicationId, now),
        workOff: (row, worker, signals) => this.change({ row, worker, signals }),
      },
      services,
    );
  }

  /** Runs until the drain signal, then waits for calls in progress. */
  run(drain: AbortSignal, abort: AbortSignal): Promise<void> {
    return this.work.run({ drain, abort });
  }

  /** Does what is due. @returns the position of the last event; null if nothing can be done yet */
  private async change(claimed: ClaimedChange): Promise<Position | null> {
    const { row, signals } = claimed;
    const channel = await this.channels.loadChannel(row.channel_id);
    const publisher = this.publishers.get(row.platform);
    const loaded = await this.aggregates.loadAggregate(decider, row.publication_id);
    const chatOf = (address: Channel['address']) => this.catalogue.chatOf(row.platform, address);
    let publication = await nameChat(loaded, row.channel_id, this.aggregates, chatOf);
    const read = await readCredentials(this, row.channel_id, channel);
    for (let work = nextChangeOf(publication.state); work !== null; work = nextChangeOf(publication.state)) {
      const change = { channel, publisher, publication, read };
      const next = work === 'withdraw' ? await this.withdraw(claimed, change) : await this.edit(work, claimed, change);
      const recorded = next && (await this.record(row, publication, next));
      if (recorded === null) return null;
      publication = recorded;
      if (next!.type.startsWith('Postpone') || next!.type === 'MarkPinFailed' || signals.drain.aborted) break;
    }
    return publication.position;
  }

  /** Deletes the last message, or ends the take-back. @returns null if nothing can be done yet */
  private async withdraw(claimed: ClaimedChange, { read, ...change }: Change): Promise<NextCommand | null> {
    const { channel, publisher, publication } = change;
    const { state } = publication;
    const [messageId] = listRemaining(state);
    const reason = reasonAgainst(publication, channel, publisher, this.chatOf(channel));
    if (reason) return { type: 'MarkWithdrawalFailed', error: reason };
    if (messageId === undefined && state.doubtfulStep === null) return { type: 'MarkWithdrawn' };
    if (messageId === undefined && !this.doubts.canLookUp(change)) return UNKNOWN;
    if (read.kind === 'unusable') return this.postpone(publication, { kind: 'needs_attention', error: read.error });
    const { credentials } = read;
    if (messageId === undefined) return this.lookUp(claimed, { ...change, credentials });
    const outcome = await this.deleteMessage(claimed, { ...change, messageId, credentials });
    if (outcome === null) return null;
    if (outcome.kind === 'needs_attention') await this.flag(claimed.row, publication, channel, outcome.error);
    return this.commandFor(publication, channel, publisher, messageId, outcome, credentials);
  }

  /** Edits the messages, or pins one. @returns null if nothing can be done yet */
  private async edit(work: 'edit' | 'pin', claimed: ClaimedChange, change: Change): Promise<NextCommand | null> {
    const { channel, publication, read } = change;
    const { row } = claimed;
    const origin = await this.contextOf(row, publication, this.clock.now());
    const next = await this.edits[work](claimed, { ...change, origin });
    // Posts would be refused too, so the channel is flagged (D-71); a pin says nothing about posts.
    if (next?.type === 'PostponeEdit' && next.rule === 'needs_attention' && read.kind === 'read')
      await this.flag(row, publication, channel, next.error as PublishError);
    return next;
  }

  /** What is found is deleted next. @returns null if nothing can be said yet */
  private async lookUp(
    { row, signals }: ClaimedChange,
    { credentials, ...send }: Omit<Call, 'messageId'>,
  ): Promise<NextCommand | null> {
    const settled = await this.doubts.settle({ row, signals, ...send }, credentials);
    switch (settled?.type) {
      case undefined:
        return null;
      case 'MarkFound':
        return settled;
      case 'not_sent':
        return { type: 'MarkWithdrawn' };
      case 'unknown':
        return UNKNOWN;
      case 'unanswered': {
        const error = gatewayError(
          'unanswered',
          'network',
          MESSAGES.lookingUp({ network: this.titleOf(send.channel) }),
        );
        const next = this.postpone(send.publication, { kind: 'retry', error, afterMs: null, named: false });
        return next.type === 'PostponeWithdrawal' ? next : UNKNOWN;
      }
    }
  }

  /** @returns null if this worker must leave the publication to another */
  private async deleteMessage(
    { row, worker, signals }: ClaimedChange,
    { channel, publisher, publication, messageId, credentials }: Call,
  ): Promise<DeleteOutcome | null> {
    const target = { id: row.channel_id, address: channel.address, settings: { ...channel.settings } };
    await this.pacing.waitForChange({ publisher, ownerId: row.owner_id, signals }, credentials);
    const holdsLease = () => this.leases.stillHoldsLeasesOf(worker);
    if (signals.drain.aborted || !holdsLease()) return null;
    const now = this.clock.now();
    const { minuteMs } = this;
    const message = { id: messageId, at: publication.state.startedAt };
    const context = { credentials, channel: target, signal: signals.abort, holdsLease, now, minuteMs };
    return publisher.deleteMessage!(message, context).catch((thrown: unknown) => this.edits.reportBug(row, thrown));
  }

  private commandFor(
    publication: LoadedPublication,
    channel: Channel,
    publisher: Publisher,
    messageId: string,
    outcome: DeleteOutcome,
    credentials: SendContext['credentials'],
  ): NextCommand {
    switch (outcome.kind) {
      case 'deleted':
        return { type: 'MarkMessageDeleted', messageId, wasThere: true };
      case 'not_there':
        if (isSameAccount(publication, channel, publisher, credentials))
          return { type: 'MarkMessageDeleted', messageId, wasThere: false };
        return {
          type: 'MarkWithdrawalFailed',
          error: gatewayError('not_seen', 'channel', MESSAGES.notSeen({ network: this.titleOf(channel) })),
        };
      case 'refused':
        return { type: 'MarkWithdrawalFailed', error: outcome.error };
      case 'retry':
      case 'needs_attention':
        return this.postpone(publication, outcome);
    }
  }

  /** Tries again later, until a day has passed since the request. */
  private postpone(
    { state }: LoadedPublication,
    outcome: Extract<DeleteOutcome, { kind: 'retry' | 'needs_attention' }>,
  ): NextCommand {
    const { requestedAt, attempts } = state.withdrawal!;
    const now = this.clock.now();
    const afterMs = outcome.kind === 'retry' ? outcome.afterMs : null;
    const rule: ChangeRule =
      outcome.kind === 'needs_attention' ? 'needs_attention' : outcome.named ? 'platform_limit' : 'retry';
    const retryAt = now + (afterMs ?? backoffDelay(RETRY, attempts));
    const endsAt = requestedAt + LONGEST_MINUTES * this.minuteMs;
    const { error } = outcome;
    if (now < endsAt) return { type: 'PostponeWithdrawal', retryAt, rule, error, endsAt };
    const message = MESSAGES.gaveUp({ error: asSentence(error.message) });
    return { type: 'MarkWithdrawalFailed', error: { ...error, code: 'gave_up', message } };
  }

  /** Flags the channel: the network would refuse its posts too (D-71). */
  private async flag(
    row: ScheduledChange,
    publication: LoadedPublication,
    { credentialsId }: Channel,
    error: PublishError,
  ): Promise<void> {
    const at = this.clock.now();
    const { withdrawal, edit } = publication.state;
    const acceptedAt = (withdrawal ?? edit)!.requestedAt;
    const refusal = { channelId: row.channel_id, credentialsId, at, acceptedAt, attention: attentionOf(error) };
    await flagChannel(this.aggregates, await this.contextOf(row, publication, at, 'flag'), refusal);
  }

  /** @returns null if another worker has taken over */
  private async record(
    row: ScheduledChange,
    known: LoadedPublication,
    next: NextCommand,
  ): Promise<LoadedPublication | null> {
    const { publication_id: publicationId, post_id: postId, channel_id: channelId } = row;
    const at = this.clock.now();
    const command = { ...next, at, publicationId, postId, channelId } as ProgressCommand;
    const context = await this.contextOf(row, known, at);
    const result = await recordPublicationProgress(this.aggregates, context, command, known);
    if (isRejection(result)) return null;
    reportChange(this, row, result.events, result.aggregate);
    return result.aggregate;
  }

  private contextOf(
    { publication_id, post_id }: ScheduledChange,
    { revision }: LoadedPublication,
    at: Instant,
    useCase = NAME,
  ): Promise<CommandContext> {
    const actor = `system:${NAME}` as const;
    const causationId = `${publication_id}/${revision}`;
    const origin = { actor, requestId: '', causationId, correlationId: '', clientAddress: null };
    return this.stories.joinStory(newCommandContext(origin, useCase, at), post_id);
  }

  private chatOf({ platform, address }: Channel): Readonly<Record<string, string>> {
    return this.catalogue.chatOf(platform, address);
  }

  private titleOf({ platform }: Channel): string {
    return this.catalogue.get(platform).title;
  }
}

type Change = Omit<ChangeInputs, 'origin'>;

/** Returns why no call may be made; null if there is no reason. */
const reasonAgainst = (
  { state }: LoadedPublication,
  channel: Channel,
  publisher: Publisher,
  chat: Readonly<Record<string, string>>,
): PublicationError | null => {
  if (listRemaining(state).length === 0) return null;
  if (channel.deleted) return gatewayError('channel_deleted', 'channel', MESSAGES.channelDeleted);
  if (!publisher.deleteMessage)
    return gatewayError('refused', 'platform', MESSAGES.notSupported({ network: publisher.platform }));
  // In another chat, the number of a message belongs to someone else's (D-70).
  if (state.sender && !isDeepStrictEqual(state.sender.chat, chat))
    return gatewayError('chat_changed', 'channel', MESSAGES.chatChanged);
  return null;
};

/** Everything known is deleted, and it stays unknown what became of a send in doubt. */
const UNKNOWN = {
  type: 'MarkWithdrawalFailed',
  error: gatewayError('outcome_unknown', 'network', MESSAGES.outcomeUnknown),
} as const;

/** True if the account that asks is known to be the one that published (D-70). */
const isSameAccount = (
  { state: { sender } }: LoadedPublication,
  { credentialsId }: Channel,
  publisher: Publisher,
  credentials: SendContext['credentials'],
): boolean => {
  if (!sender) return false;
  const account = publisher.accountOf?.(credentials) ?? null;
  return account === null || sender.account === null
    ? sender.credentialsId === credentialsId
    : sender.account === account;
};
