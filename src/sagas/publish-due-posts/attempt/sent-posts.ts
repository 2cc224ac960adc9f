import { Injectable } from '@nestjs/common';
import type { Position } from '../../../event-store/port.js';
import { contentFor } from '../../../payload/overrides.js';
import type { LookUpResult, Publisher, SendContext, SendInDoubt, Step } from '../../../platforms/publisher.js';
import type { PostWithPayload } from '../../../projections/posts/post-payloads.js';
import { ChannelMessages } from '../../../projections/posts/publications.queries.js';
import type { ScheduledPublication } from '../../../projections/publish-schedule/publish-schedule.tables.js';
import { LocatedPosts } from '../../../uploads/located-posts.js';
import { PostProcessor } from '../inputs/post-processor.js';
import type { Credentials, LoadedPublication } from './attempt-state.js';
import { type Channel, type Render, rendererOf } from './publication-attempt.js';

type SentRow = Pick<
  ScheduledPublication,
  'publication_id' | 'post_id' | 'channel_id' | 'project_id' | 'post_stream' | 'post_revision'
>;

/** A publication whose network is asked outside of an attempt. */
interface SentPublication {
  readonly row: SentRow;
  readonly publication: LoadedPublication;
  readonly channel: Channel;
  readonly publisher: Publisher;
  readonly credentials: Credentials;
  readonly signal: AbortSignal;
  /** Waits until the network's pace allows a call. */
  readonly awaitTurn: () => Promise<void>;
}

/** A post, rendered as it may have been sent. */
export interface SentPost extends PostWithPayload {
  readonly render: Render;
  /**
   * Asks the network for a step. Never sends.
   * @param known up to which the views must show the messages of other posts
   * @returns null if they do not yet, or if the signal is aborted
   */
  readonly lookUp: (
    step: Step,
    results: SendContext['results'],
    send: Omit<SendInDoubt, 'others'>,
    known: Position,
  ) => Promise<LookUpResult | null>;
}

/** Reads posts whose publications are in doubt, to look them up when their attempts have ended (D-25, D-80). */
@Injectable()
export class SentPosts {
  constructor(
    private readonly posts: LocatedPosts,
    private readonly processor: PostProcessor,
    private readonly messages: ChannelMessages,
  ) {}

  /** @returns null if the network cannot look up, or if it is unknown what was sent @throws UnreadablePost */
  async read(sent: SentPublication): Promise<SentPost | null> {
    const { row, publication, channel, publisher } = sent;
    const { channel_id: channelId, project_id: projectId } = row;
    if (!publisher.lookUp) return null;
    const { content } = publication.state;
    const [post, project] = await Promise.all([
      this.posts.readPost(row.post_stream, String(content?.streamRevision ?? row.post_revision)),
      this.processor.loadProject(projectId),
    ]);
    const payload = contentFor(post.payload, { channelId, platform: channel.platform });
    const processed = await this.processor.processAsSent({ row, payload, channel }, publication, project);
    if (processed?.kind !== 'post') return null;
    const target = { id: channelId, address: channel.address, settings: { ...channel.settings } };
    const lookUp: SentPost['lookUp'] = async (step, results, send, known) => {
      const others = await this.messages.findMessageIds(channelId, known);
      if (others === null) return null;
      await sent.awaitTurn();
      const { credentials, signal } = sent;
      if (signal.aborted) return null;
      const media = () => Promise.reject(new Error('a look-up sends no media'));
      const context = { credentials, channel: target, results, key: row.publication_id, waits: {}, media, signal };
      return publisher.lookUp!(step, context, { ...send, others });
    };
    return { ...post, render: rendererOf({ publisher, target }, processed), lookUp };
  }
}

/** Returns the first step without a result that readers would see. */
export const nextVisible = (render: Render, results: SendContext['results']): Step | undefined =>
  render(results).steps.find(({ visible, name }) => visible && !(name in results));
