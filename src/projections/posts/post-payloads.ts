import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import {
  listReleased,
  type PayloadParts,
  type PayloadPartStored,
  type PostAccepted,
  type PostEdited,
  type PostReleased,
  type PostRevised,
  type Target,
} from '../../domain/post/post.events.js';
import { findLast } from '../../event-store/aggregate-reader.js';
import { EventCodec } from '../../event-store/codec.js';
import { EVENT_STORE, type EventStore, type StoredEvent } from '../../event-store/port.js';
import type { DomainEvent, RecordedEvent, RecordedEventOf } from '../../kernel/events.js';
import type { PublishPayload } from '../../payload/payload.js';
import { yieldToEventLoop } from '../../runtime/cooperative-work.js';

const PAYLOAD_CATEGORY = 'payload-';

/**
 * Returns the name of the stream that holds the parts of a large payload (D-42).
 * @param id the post's id, or {@link PayloadParts.id}
 */
export const payloadStreamName = (id: string): string => PAYLOAD_CATEGORY + id;

/** Returns the id in the name of a payload stream. Only the event that refers to the parts contains this id. */
export const idOfPayload = (stream: string): string => stream.slice(PAYLOAD_CATEGORY.length);

/** An event with the content of a post. */
export type PostContent = PostAccepted | PostRevised;

const CONTENT_TYPES: ReadonlySet<string> = new Set<PostContent['type']>(['PostAccepted', 'PostRevised']);

type StoredContent = Pick<PostEdited['data'], 'postId' | 'payload' | 'parts'>;

type EventOfPost = Pick<RecordedEvent, 'stream' | 'revision'> & { readonly data: { readonly postId: string } };

/** An accepted post with its payload. */
export interface PostWithPayload {
  /** The event with the content that the post was released with, or will be; an edit has other content (D-72). */
  readonly event: RecordedEventOf<PostContent>;
  /** The targets of the event; for a released planned post, the targets that its release queued. */
  readonly targets: readonly Target[];
  readonly payload: PublishPayload;
}

/**
 * Thrown if the store lacks an accepted post or part of its payload, an event cannot be decoded, or the payload differs
 * from the accepted bytes.
 */
export class UnreadablePost extends Error {
  override readonly name: string = 'UnreadablePost';
}

/** Thrown if a post's content was erased (D-100). */
export class ErasedPost extends UnreadablePost {
  override readonly name = 'ErasedPost';

  constructor(postId: string) {
    super(`the content of ${postId} was erased`);
  }
}

/** Handler for `catch`: returns null for an {@link ErasedPost}, and throws any other error. */
export const nullIfErased = (error: unknown): null => {
  if (error instanceof ErasedPost) return null;
  throw error;
};

/** Handler for `catch`: returns null for an {@link UnreadablePost}, and throws any other error. */
export const nullIfUnreadable = (error: unknown): null => {
  if (error instanceof UnreadablePost) return null;
  throw error;
};

/** Reads accepted posts from the store. Payloads that were stored in parts are assembled (D-42). */
@Injectable()
export class PostPayloads {
  constructor(
    @Inject(EVENT_STORE) private readonly store: EventStore,
    private readonly codec: EventCodec,
  ) {}

  /**
   * Reads an accepted post. A release event points to the event that contains the content (ADR-231), and an edit to the
   * release.
   * @param revision of the event that accepted the post, last changed its content or released it, as in the read models
   * @throws Unavailable @throws UnreadablePost
   */
  async readPost(stream: string, revision: string): Promise<PostWithPayload> {
    const { event, targets, edited } = await this.readEvent(stream, revision);
    return { event, targets, payload: await this.readPayloadOf(edited ?? event.data) };
  }

  /**
   * Like {@link readPost}, without the payload.
   * @returns `edited`: the edit that contains the content, if it is one
   * @throws Unavailable @throws UnreadablePost
   */
  async readEvent(
    stream: string,
    revision: string,
  ): Promise<Omit<PostWithPayload, 'payload'> & { readonly edited?: PostEdited['data'] }> {
    const stored = await this.readAt(stream, revision);
    if (stored?.type === 'PostEdited') {
      const { data: edited } = this.decode<PostEdited>(stored);
      return { ...(await this.readEvent(stream, String(edited.releasedRevision))), edited };
    }
    if (stored?.type !== 'PostReleased') return this.decodeContent(stored, `${stream}@${revision}`);
    const { data: release } = this.decode<PostReleased>(stored);
    const { contentRevision } = release;
    const content = await this.readAt(stream, contentRevision);
    const { event, targets } = this.decodeContent(content, `${stream}@${contentRevision}`);
    return { event, targets: listReleased(release, targets) };
  }

  /**
   * Reads a post's content as it was before the given event of its stream.
   * @throws Unavailable @throws UnreadablePost
   */
  async readContentBefore({ stream, revision, data }: EventOfPost): Promise<PostWithPayload> {
    const isContent = (stored: StoredEvent): boolean =>
      CONTENT_TYPES.has(stored.type) && this.decode<PostContent>(stored).data.postId === data.postId;
    const stored = await findLast(this.store, stream, isContent, BigInt(revision) - 1n);
    const { event, targets } = this.decodeContent(stored ?? undefined, `${stream}@${revision}`);
    return { event, targets, payload: await this.readPayloadOf(event.data) };
  }

  private async readAt(stream: string, revision: string | number): Promise<StoredEvent | undefined> {
    return (await this.store.readStream(stream, { from: BigInt(revision), limit: 1 }))[0];
  }

  private decodeContent(stored: StoredEvent | undefined, place: string): Omit<PostWithPayload, 'payload'> {
    if (!stored || !CONTENT_TYPES.has(stored.type)) throw new UnreadablePost(`no accepted post at ${place}`);
    const event = this.decode<PostContent>(stored) as RecordedEventOf<PostContent>;
    return { event, targets: event.data.targets };
  }

  private async readPayloadOf(data: StoredContent): Promise<PublishPayload> {
    if (data.payload) return data.payload;
    if (!data.parts) throw new ErasedPost(data.postId);
    return this.assembleParts(data.postId, data.parts);
  }

  /** Reads a post's payload; null if it cannot be read exactly as accepted. @throws Unavailable */
  async readPayload(stream: string, revision: string): Promise<PublishPayload | null> {
    const post = await this.readPost(stream, revision).catch(nullIfUnreadable);
    return post?.payload ?? null;
  }

  private decode<E extends DomainEvent>(stored: StoredEvent): RecordedEvent<E> {
    try {
      return this.codec.decode<E>(stored);
    } catch (cause) {
      throw new UnreadablePost(`the event ${stored.stream}@${stored.revision} cannot be decoded`, { cause });
    }
  }

  private async assembleParts(postId: string, parts: PayloadParts): Promise<PublishPayload> {
    const chunks: Buffer[] = [];
    const sha256 = createHash('sha256');
    // Reads one part at a time, so that other work can run in between.
    for (let n = 0; n < parts.count; n++) {
      const from = BigInt(n);
      const [part] = await this.store.readStream(payloadStreamName(parts.id ?? postId), { from, limit: 1 });
      // The parts were written before the event that refers to them, so a later read would not find more.
      if (!part) throw new UnreadablePost(`the payload of ${postId} is not stored as a whole`);
      await yieldToEventLoop();
      const { chunk: text } = this.decode<PayloadPartStored>(part).data;
      if (text === null) throw new ErasedPost(postId);
      const chunk = Buffer.from(text, 'base64');
      sha256.update(chunk);
      chunks.push(chunk);
    }
    if (sha256.digest('hex') !== parts.sha256)
      throw new UnreadablePost(`the payload of ${postId} does not match its hash`);
    await yieldToEventLoop();
    const bytes = Buffer.concat(chunks);
    const text = bytes.toString('utf8');
    await yieldToEventLoop();
    return JSON.parse(text) as PublishPayload;
  }
}
