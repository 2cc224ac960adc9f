import { Inject, Injectable } from '@nestjs/common';
import { type EditableMessages, EditPosts, reasonAgainstEdit } from '../../commands/post/edit-posts.js';
import { UploadLinks } from '../../commands/post/upload-holds.js';
import type { ProgressCommand } from '../../commands/publication.js';
import { EDIT_MESSAGES } from '../../domain/messages.js';
import type { ChangeRule, PublicationError } from '../../domain/publication/publication.events.js';
import { CLOCK, type Clock, MINUTE_MS } from '../../kernel/clock.js';
import type { Origin } from '../../kernel/events.js';
import { LOG, type Log } from '../../kernel/log.js';
import { asSentence } from '../../kernel/message.js';
import { PlatformCatalogue } from '../../platforms/platform-catalogue.js';
import {
  type EditOutcome,
  type EditStep,
  gatewayError,
  type Publisher,
  type SendContext,
} from '../../platforms/publisher.js';
import { Leases } from '../../postgres/leases.js';
import { type EditedMessages, planEdit, processShown } from '../../processing/edit-plan.js';
import type { Translate } from '../../processing/translation/translation.js';
import { FindPost } from '../../projections/posts/posts.queries.js';
import type { ScheduledChange } from '../../projections/publish-schedule/publish-schedule.tables.js';
import { LocatedPosts } from '../../uploads/located-posts.js';
import type { ShutdownSignals } from '../engine/run-under-lease.js';
import {
  computeRetryAt,
  type Credentials,
  type CredentialsRead,
  internalError,
  type LoadedPublication,
} from '../publish-due-posts/attempt/attempt-state.js';
import type { Channel } from '../publish-due-posts/attempt/publication-attempt.js';
import { Pacing } from '../publish-due-posts/attempt/start-limits.js';
import { StoredTranslations } from '../publish-due-posts/inputs/post-processor.js';
import { MediaFiles } from '../publish-due-posts/inputs/shared-inputs.js';
import { EDITING_MESSAGES as MESSAGES } from './messages.js';

type WithoutIds<C> = C extends unknown ? Omit<C, 'publicationId' | 'postId' | 'channelId' | 'at'> : never;
/** The next command of a change; the worker adds the ids and the time. */
export type NextCommand = WithoutIds<ProgressCommand>;

/** A publication whose messages this process may change because it holds the change's lease. */
export interface ClaimedChange {
  readonly row: ScheduledChange;
  readonly worker: string;
  readonly signals: ShutdownSignals;
}

/** What a change of a publication needs. */
export interface ChangeInputs {
  readonly publication: LoadedPublication;
  readonly channel: Channel;
  readonly publisher: Publisher;
  readonly read: CredentialsRead;
  readonly origin: Origin;
}

/**
 * Edits and pins the messages of published posts (D-72, D-77). An edit can be repeated, so a call that was not answered
 * is simply made again: no edit is in doubt.
 */
@Injectable()
export class EditPublished {
  constructor(
    private readonly posts: EditPosts,
    private readonly findPost: FindPost,
    private readonly located: LocatedPosts,
    private readonly links: UploadLinks,
    private readonly translations: StoredTranslations,
    private readonly media: MediaFiles,
    private readonly pacing: Pacing,
    private readonly leases: Leases,
    private readonly catalogue: PlatformCatalogue,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(MINUTE_MS) private readonly minuteMs: number,
    @Inject(LOG) private readonly log: Log,
  ) {}

  /** @returns the command that records how the edit went; null if another worker must go on */
  async edit(claimed: ClaimedChange, inputs: ChangeInputs): Promise<NextCommand | null> {
    const { publication, channel } = inputs;
    const { edit, deletedIds } = publication.state;
    const { revision, streamRevision } = edit!.content;
    const fail = (error: PublicationError, done = edit!.done): NextCommand => ({
      type: 'MarkEditFailed',
      revision,
      error,
      done,
    });
    const chat = this.catalogue.chatOf(channel.platform, channel.address);
    const reason = reasonAgainstEdit(publication.state, channel.deleted, chat);
    if (reason) return fail(reason);
    const described = await this.describe(claimed, inputs, streamRevision);
    if (!described) return null;
    const { messages, projectRevision, translate } = described;
    const { read, publisher } = inputs;
    if (read.kind === 'unusable')
      return this.postpone(inputs, { kind: 'needs_attention', error: read.error }, edit!.done);
    const calling = { publisher, credentials: read.credentials, origin: inputs.origin };

    const done = new Set(edit!.done);
    let results: SendContext['results'] = {};
    let changed = done.size > 0;
    for (;;) {
      const plan = await planEdit(messages, translate, results);
      if (plan.kind === 'wait') return this.postpone(inputs, { ...plan, kind: 'retry', named: false }, [...done]);
      if (plan.kind === 'refused') return fail(plan.error, [...done]);
      const { steps, resultsAfter, warnings } = plan.rendering;
      const open = steps.filter(({ name, messageId }) =>
        messageId === null ? !(name in results) : !done.has(messageId),
      );
      const step = open.some(({ messageId }) => messageId !== null) ? open[0] : undefined;
      if (!step) {
        const content = { revision, streamRevision };
        return { type: 'MarkEdited', content, projectRevision, results: resultsAfter, changed, warnings };
      }
      const { messageId } = step;
      if (messageId !== null && deletedIds.includes(messageId))
        return fail(gatewayError('message_gone', 'platform', MESSAGES.messageGone), [...done]);
      const outcome = await this.call(claimed, calling, messages, step, results);
      if (outcome === 'lease_lost') return null;
      if (outcome.kind === 'done') {
        if (messageId === null) results = { ...results, [step.name]: outcome.result };
        else done.add(messageId);
        changed ||= outcome.changed && messageId !== null;
      } else if (outcome.kind === 'not_there')
        return fail(gatewayError('message_gone', 'platform', MESSAGES.messageGone), [...done]);
      else if (outcome.kind === 'refused') return fail(outcome.error, [...done]);
      else return this.postpone(inputs, outcome, [...done]);
    }
  }

  /** @returns the command that records how pinning went; null if another worker must go on */
  async pin(claimed: ClaimedChange, inputs: ChangeInputs): Promise<NextCommand | null> {
    const { publication, channel, publisher, read } = inputs;
    const { pin, startedAt } = publication.state;
    const fail = (error: PublicationError, rule: ChangeRule = 'retry', retryAt: number | null = null): NextCommand => ({
      type: 'MarkPinFailed',
      retryAt,
      rule,
      error,
    });
    if (channel.deleted) return fail(gatewayError('channel_deleted', 'channel', EDIT_MESSAGES.channelDeleted));
    if (read.kind === 'unusable') return fail(read.error);
    const { credentials } = read;
    const described = await this.describe(claimed, inputs, null);
    if (!described) return null;
    const { messages, translate } = described;
    const post = await processShown(messages.shown, channel.platform, translate);
    const { messageIds, results } = messages;
    const id = publisher.messageToPin!({ post, results, messageIds }, messages.channel) ?? messageIds[0];
    if (id === undefined) return fail(internalError);
    await this.pacing.waitForChange(this.pacedBy(claimed, publisher), credentials);
    if (!this.mayCall(claimed)) return null;
    const outcome = await publisher.pin!(
      { id, at: startedAt },
      { ...this.contextOf(claimed, messages, credentials), now: this.clock.now(), minuteMs: this.minuteMs },
    ).catch((thrown: unknown) => this.reportBug(claimed.row, thrown));
    switch (outcome.kind) {
      case 'done':
        return { type: 'MarkPinned', messageId: id };
      case 'not_there':
        return fail(gatewayError('message_gone', 'platform', MESSAGES.messageGone));
      case 'refused':
        return fail(outcome.error);
      case 'retry':
      case 'needs_attention': {
        const { rule, retryAt } = this.retryOf(outcome, pin!.failures);
        return fail(outcome.error, rule, retryAt);
      }
    }
  }

  /**
   * Describes the messages and their content.
   * @param streamRevision of the event that holds the new content; null if there is none
   * @returns null if the read model does not show the post yet
   */
  private async describe(
    { row, signals }: ClaimedChange,
    { publication, publisher, origin }: ChangeInputs,
    streamRevision: number | null,
  ): Promise<{
    readonly messages: EditedMessages;
    readonly projectRevision: string;
    readonly translate: Translate;
  } | null> {
    const { post_id: postId, publication_id: publicationId, channel_id: channelId, owner_id: ownerId } = row;
    const found = await this.findPost.execute(postId, null);
    const own = found?.publications.find((each) => each.publication_id === publicationId);
    if (!found || !own) return null;
    const { stream, released_stream_revision } = found.post;
    const { edit } = publication.state;
    const releasedRevision = edit?.releasedRevision ?? Number(released_stream_revision);
    const target = { publicationId, postId, channelId, ownerId, platform: row.platform, projectId: own.project_id };
    const { payload } = await this.located.readPost(stream, String(streamRevision ?? releasedRevision));
    const published = [{ target, shown: publication.state }] as const;
    const [described] = await this.posts.describe({ stream }, { releasedRevision }, published, payload);
    const messages = toEdited(described!, publisher);
    const translate = this.translations.forPost(postId, ownerId, origin, signals.drain);
    return { messages, projectRevision: described!.projectRevision, translate };
  }

  private async call(
    claimed: ClaimedChange,
    {
      publisher,
      credentials,
      origin,
    }: Pick<ChangeInputs, 'publisher' | 'origin'> & { readonly credentials: Credentials },
    messages: EditedMessages,
    step: EditStep,
    results: SendContext['results'],
  ): Promise<EditOutcome | 'lease_lost'> {
    const { row, signals } = claimed;
    const chat = step.messageId === null ? null : messages.channel.address;
    await this.pacing.waitForChange(this.pacedBy(claimed, publisher), credentials, chat);
    await this.links.keepLinked(step, messages.next.payload.media, row.post_id, origin);
    if (!this.mayCall(claimed)) return 'lease_lost';
    const media = this.media.forPost({
      postId: row.post_id,
      ownerId: row.owner_id,
      media: messages.next.payload.media ?? [],
      signal: signals.drain,
    });
    const context = {
      ...this.contextOf(claimed, messages, credentials),
      results,
      key: row.publication_id,
      waits: {},
      media,
    };
    return publisher.edit!(step, context).catch((thrown: unknown) => this.reportBug(claimed.row, thrown));
  }

  private contextOf({ worker, signals }: ClaimedChange, { channel }: EditedMessages, credentials: Credentials) {
    const holdsLease = () => this.leases.stillHoldsLeasesOf(worker);
    return { credentials, channel, signal: signals.abort, holdsLease };
  }

  private pacedBy({ row, signals }: ClaimedChange, publisher: Publisher) {
    return { publisher, ownerId: row.owner_id, signals };
  }

  private mayCall({ worker, signals }: ClaimedChange): boolean {
    return !signals.drain.aborted && this.leases.stillHoldsLeasesOf(worker);
  }

  /** Returns the outcome of a call whose publisher threw an error. */
  reportBug(
    { publication_id: publication }: ScheduledChange,
    thrown: unknown,
  ): Extract<EditOutcome, { kind: 'retry' }> {
    this.log.error({ publication, err: thrown }, 'publisher threw an error; this is a bug in the gateway');
    return { kind: 'retry', error: internalError, afterMs: null, named: false };
  }

  private postpone(
    { publication }: ChangeInputs,
    outcome: Extract<EditOutcome, { kind: 'retry' | 'needs_attention' }>,
    done: readonly string[],
  ): NextCommand {
    const { edit } = publication.state;
    const { error } = outcome;
    const gaveUp = { ...error, code: 'gave_up', message: MESSAGES.gaveUp({ error: asSentence(error.message) }) };
    const { rule, retryAt } = this.retryOf(outcome, edit!.failures);
    return { type: 'PostponeEdit', revision: edit!.content.revision, retryAt, rule, error, gaveUp, done };
  }

  private retryOf(
    outcome: Extract<EditOutcome, { kind: 'retry' | 'needs_attention' }>,
    failures: number,
  ): { readonly rule: ChangeRule; readonly retryAt: number } {
    const isAttention = outcome.kind === 'needs_attention';
    const rule = isAttention ? 'needs_attention' : outcome.named ? 'platform_limit' : 'retry';
    const afterMs = isAttention ? ATTENTION_MS : outcome.afterMs;
    return { rule, retryAt: computeRetryAt(this.clock.now(), failures, afterMs) };
  }
}

/** How long to wait for a person before the network is asked again, in ms. */
const ATTENTION_MS = 5 * 60_000;

const toEdited = (
  { target, shown, next, messageIds, results, channel }: EditableMessages,
  publisher: Publisher,
): EditedMessages => ({
  publisher,
  channel: {
    id: target.channelId,
    address: channel?.address ?? {},
    settings: { ...channel?.settings } as EditedMessages['channel']['settings'],
  },
  shown,
  next,
  messageIds,
  results,
});
