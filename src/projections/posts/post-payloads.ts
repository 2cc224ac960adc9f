import { createHash } from 'node:crypto';
import type { PayloadPartStored, PostAccepted } from '../../domain/post/post.events.js';
import type { EventCodec } from '../../event-store/codec.js';
import { type EventStore, Unavailable } from '../../event-store/port.js';
import type { RecordedEvent } from '../../kernel/events.js';
import { nextTurn } from '../../runtime/cooperative-work.js';
import type { PublishPayload } from '../../payload/payload.js';

/** Where a large payload's parts lie: a stream of its own, named after the post (D-42). */
export const payloadStream = (postId: string): string => `payload-${postId}`;

/** An accepted post with its payload, whichever way it was stored. */
export interface ReadPost {
  readonly event: RecordedEvent<PostAccepted>;
  readonly payload: PublishPayload;
}

/** Reads accepted posts back from the store. Readers never see whether a payload was written in parts (D-42). */
export class PostPayloads {
  constructor(
    private readonly store: EventStore,
    private readonly codec: EventCodec,
  ) {}

  /** @param revision as the read models keep it. @throws Unavailable; Error where the store does not hold what it should. */
  async read(stream: string, revision: string): Promise<ReadPost> {
    const [stored] = await this.store.readStream(stream, { from: BigInt(revision), limit: 1 });
    if (stored?.type !== 'PostAccepted') throw new Error(`no accepted post at ${stream}@${revision}`);
    const event = this.codec.decode<PostAccepted>(stored);
    return { event, payload: event.data.payload ?? (await this.assemble(event.data)) };
  }

  private async assemble({ postId, parts }: PostAccepted['data']): Promise<PublishPayload> {
    const stored = await this.store.readStream(payloadStream(postId), { limit: parts!.count });
    const chunks = stored.map((part) => this.codec.decode<PayloadPartStored>(part).data.chunk);
    if (chunks.length < parts!.count) throw new Unavailable(`the payload of ${postId} is not readable as a whole`);
    const bytes = Buffer.concat(chunks.map((chunk) => Buffer.from(chunk, 'base64')));
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    if (sha256 !== parts!.sha256) throw new Error(`the payload of ${postId} does not match its hash`);
    const text = bytes.toString('utf8');
    await nextTurn();
    return JSON.parse(text) as PublishPayload;
  }
}
