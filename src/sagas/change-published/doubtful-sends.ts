import { isDeepStrictEqual } from 'node:util';
import { Inject, Injectable } from '@nestjs/common';
import type { PublicationCommand } from '../../domain/publication/publication.decider.js';
import { UNKNOWN_STEP } from '../../domain/publication/withdrawal.js';
import { CLOCK, type Clock } from '../../kernel/clock.js';
import { LOG, type Log } from '../../kernel/log.js';
import { PlatformCatalogue } from '../../platforms/platform-catalogue.js';
import type { Publisher, SendContext } from '../../platforms/publisher.js';
import { PostPlaces } from '../../projections/posts/post-details.queries.js';
import type { ScheduledChange } from '../../projections/publish-schedule/publish-schedule.tables.js';
import { isOutage, type ShutdownSignals } from '../engine/run-under-lease.js';
import type { LoadedPublication } from '../publish-due-posts/attempt/attempt-state.js';
import { CLOCK_TOLERANCE_MS, SETTLED_AFTER_MS } from '../publish-due-posts/attempt/in-doubt-resolver.js';
import type { Channel } from '../publish-due-posts/attempt/publication-attempt.js';
import { nextVisible, SentPosts } from '../publish-due-posts/attempt/sent-posts.js';
import { Pacing } from '../publish-due-posts/attempt/start-limits.js';

/** Maximum clock difference between this machine and the one that recorded the doubt, in ms. */
const CLOCK_DIFFERENCE_MS = 5_000;

type Found = Omit<Extract<PublicationCommand, { type: 'MarkFound' }>, 'publicationId' | 'postId' | 'channelId' | 'at'>;

/** What became of a send in doubt. `unanswered`: another look-up may tell. `unknown`: none would. */
type Settled = Found | { readonly type: 'not_sent' | 'unanswered' | 'unknown' };

interface DoubtfulSend {
  readonly row: ScheduledChange;
  readonly signals: ShutdownSignals;
  readonly channel: Channel;
  readonly publisher: Publisher;
  readonly publication: LoadedPublication;
}

/** Looks up once more what became of a send in doubt whose post was taken back (D-69). Never sends. */
@Injectable()
export class DoubtfulSends {
  constructor(
    private readonly places: PostPlaces,
    private readonly sentPosts: SentPosts,
    private readonly pacing: Pacing,
    private readonly catalogue: PlatformCatalogue,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOG) private readonly log: Log,
  ) {}

  /** True if the network can be asked, in the chat where the post was sent. */
  canLookUp({ channel, publisher, publication: { state } }: Omit<DoubtfulSend, 'row' | 'signals'>): boolean {
    if (!publisher.lookUp || channel.deleted || state.doubtfulStep === UNKNOWN_STEP) return false;
    return (
      !state.sender || isDeepStrictEqual(state.sender.chat, this.catalogue.chatOf(channel.platform, channel.address))
    );
  }

  /** @returns null if nothing can be said yet @throws the database's errors during an outage */
  async settle(send: DoubtfulSend, credentials: SendContext['credentials']): Promise<Settled | null> {
    try {
      return await this.lookUp(send, credentials);
    } catch (thrown) {
      if (isOutage(thrown)) throw thrown;
      const detail = { publication: send.row.publication_id, err: thrown };
      this.log.error(detail, 'failed to look up a post in doubt that was taken back');
      return { type: 'unknown' };
    }
  }

  private async lookUp(
    { row, signals, channel, publisher, publication }: DoubtfulSend,
    credentials: SendContext['credentials'],
  ): Promise<Settled | null> {
    const { state, position } = publication;
    const { doubtfulStep, doubtfulSince, startedAt, messageIds, results } = state;
    const place = await this.places.findContentOfPublication(row.publication_id);
    if (!place) return null;
    const { stream: post_stream, revision: post_revision, project_id } = place;
    const post = await this.sentPosts.read({
      row: { ...row, post_stream, post_revision, project_id },
      publication,
      channel,
      publisher,
      credentials,
      signal: signals.drain,
      awaitTurn: () => this.pacing.waitForChange({ publisher, ownerId: row.owner_id, signals }, credentials),
    });
    const step = post?.render(results).steps.find(({ name }) => name === doubtfulStep);
    if (!post || !step) return { type: 'unknown' };
    // Another post with the same words may have been published since.
    const until = doubtfulSince + CLOCK_DIFFERENCE_MS;
    const before = new Set(messageIds);
    const send = { since: startedAt, toleranceMs: CLOCK_TOLERANCE_MS, until, before };
    const answer = await post.lookUp(step, results, send, position);
    switch (answer?.kind) {
      case undefined:
        return null;
      case 'not_sent': {
        if (this.clock.now() < doubtfulSince + SETTLED_AFTER_MS) return { type: 'unanswered' };
        // Events of former releases do not say who sent it: another account may not see it (D-70).
        return { type: state.sender?.credentialsId ? 'not_sent' : 'unknown' };
      }
      case 'unanswered':
      case 'unknown':
        return { type: answer.kind };
      case 'sent': {
        const { result, messageIds, urls } = answer.outcome;
        const after = { ...results, [step.name]: result };
        const isWhole = nextVisible(post.render, after) === undefined;
        const { warnings } = post.render(after);
        return { type: 'MarkFound', step: step.name, result, isWhole, messageIds, urls, warnings };
      }
    }
  }
}
