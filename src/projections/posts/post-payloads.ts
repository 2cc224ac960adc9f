import { createHash } from 'node:crypto';
import type { PayloadPartStored, PostAccepted } from '../../domain/post/post.events.js';
import type { EventCodec } from '../../event-store/codec.js';
import type { EventStore, StoredEvent } from '../../event-store/port.js';
import type { DomainEvent, RecordedEvent } from '../../kernel/events.js';
import { yieldToEventLoop } from '../../runtime/cooperative-work.js';
import type { PublishPayload } from '../../payload/payload.js';

const PAYLOAD_CATEGORY = 'payload-';

/** Returns the name of the stream of a large payload's parts (D-42). */
export const payloadStreamName = (postId: string): string => PAYLOAD_CATEGORY + postId;

/** Returns the id of the post to which such a stream belongs. */
export const postIdOfPayload = (stream: string): string => stream.slice(PAYLOAD_CATEGORY.length);

/** An accepted post with its payload, whether that was stored in one event or in parts. */
export interface PostWithPayload {
  readonly event: RecordedEvent<PostAccepted>;
  readonly payload: PublishPayload;
}

/** The store does not hold an accepted post, or not all of its payload, or other bytes than were accepted. */
export class UnreadablePost extends Error {
  override readonly name = 'UnreadablePost';
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
   * @throws Unavailable @throws UnreadablePost
   */
  async readPost(stream: string, revision: string): Promise<PostWithPayload> {
    const [stored] = await this.store.readStream(stream, { from: BigInt(revision), limit: 1 });
    if (stored?.type !== 'PostAccepted') throw new UnreadablePost(`no accepted post at ${stream}@${revision}`);
    const event = this.decode<PostAccepted>(stored);
    return { event, payload: event.data.payload ?? (await this.assembleParts(event.data)) };
  }

  /** Reads a post's payload; null if it cannot be read as it was accepted. @throws Unavailable */
  async readPayload(stream: string, revision: string): Promise<PublishPayload | null> {
    try {
      return (await this.readPost(stream, revision)).payload;
    } catch (error) {
      if (error instanceof UnreadablePost) return null;
      throw error;
    }
  }

  private decode<E extends DomainEvent>(stored: StoredEvent): RecordedEvent<E> {
    try {
      return this.codec.decode<E>(stored);
    } catch (cause) {
      throw new UnreadablePost(`the event ${stored.stream}@${stored.revision} cannot be decoded`, { cause });
    }
  }

  private async assembleParts({ postId, parts }: PostAccepted['data']): Promise<PublishPayload> {
    const chunks: Buffer[] = [];
    const sha256 = createHash('sha256');
    // Part by part, so that other work gets the thread in between.
    for (let n = 0; n < parts!.count; n++) {
      const from = BigInt(n);
      const [part] = await this.store.readStream(payloadStreamName(postId), { from, limit: 1 });
      // The parts were written before the event that names them, so a later read finds no more of them.
      if (!part) throw new UnreadablePost(`the payload of ${postId} is not stored as a whole`);
      await yieldToEventLoop();
      const chunk = Buffer.from(this.decode<PayloadPartStored>(part).data.chunk, 'base64');
      sha256.update(chunk);
      chunks.push(chunk);
    }
    if (sha256.digest('hex') !== parts!.sha256)
      throw new UnreadablePost(`the payload of ${postId} does not match its hash`);
    await yieldToEventLoop();
    const bytes = Buffer.concat(chunks);
    const text = bytes.toString('utf8');
    await yieldToEventLoop();
    return JSON.parse(text) as PublishPayload;
  }
}
