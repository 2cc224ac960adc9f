import { createHash } from 'node:crypto';
import type { PayloadPartStored, PostAccepted } from '../../domain/post/post.events.js';
import type { EventCodec } from '../../event-store/codec.js';
import { type EventStore, Unavailable } from '../../event-store/port.js';
import type { RecordedEvent } from '../../kernel/events.js';
import { yieldToEventLoop } from '../../runtime/cooperative-work.js';
import type { PublishPayload } from '../../payload/payload.js';

/** Returns the name of the stream of a large payload's parts (D-42). */
export const payloadStreamName = (postId: string): string => `payload-${postId}`;

/** An accepted post with its payload, whether that was stored in one event or in parts. */
export interface PostWithPayload {
  readonly event: RecordedEvent<PostAccepted>;
  readonly payload: PublishPayload;
}

/** Reads accepted posts from the store. Payloads that were stored in parts are assembled (D-42). */
export class PostPayloads {
  constructor(
    private readonly store: EventStore,
    private readonly codec: EventCodec,
  ) {}

  /**
   * Reads an accepted post.
   * @param revision revision of its event, as the read models store it
   * @throws Unavailable @throws Error if the store does not contain the post or its payload
   */
  async readPost(stream: string, revision: string): Promise<PostWithPayload> {
    const [stored] = await this.store.readStream(stream, { from: BigInt(revision), limit: 1 });
    if (stored?.type !== 'PostAccepted') throw new Error(`no accepted post at ${stream}@${revision}`);
    const event = this.codec.decode<PostAccepted>(stored);
    return { event, payload: event.data.payload ?? (await this.assembleParts(event.data)) };
  }

  private async assembleParts({ postId, parts }: PostAccepted['data']): Promise<PublishPayload> {
    const stored = await this.store.readStream(payloadStreamName(postId), { limit: parts!.count });
    const chunks = stored.map((part) => this.codec.decode<PayloadPartStored>(part).data.chunk);
    if (chunks.length < parts!.count) throw new Unavailable(`the payload of ${postId} is not readable as a whole`);
    const bytes = Buffer.concat(chunks.map((chunk) => Buffer.from(chunk, 'base64')));
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    if (sha256 !== parts!.sha256) throw new Error(`the payload of ${postId} does not match its hash`);
    const text = bytes.toString('utf8');
    await yieldToEventLoop();
    return JSON.parse(text) as PublishPayload;
  }
}
