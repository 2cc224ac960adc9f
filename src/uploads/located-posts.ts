import { Inject, Injectable } from '@nestjs/common';
import type { Settings } from '../config/settings.js';
import { SETTINGS } from '../config/tokens.js';
import { media } from '../domain/media/media.decider.js';
import { AggregateStore } from '../event-store/aggregate-store.js';
import { findFetchUrlProblem } from '../outbound-http/url-rules.js';
import type { LocatedMedium, PublishPayload } from '../payload/payload.js';
import { listUploadIds, mapUploads } from '../payload/uploads.js';
import { PostPayloads, type PostWithPayload } from '../projections/posts/post-payloads.js';
import { addressOf } from './uploaded-files.js';

/** Reads posts with the public addresses of their uploads, also of deleted ones, which published posts may link to. */
@Injectable()
export class LocatedPosts {
  private readonly isPrivate: boolean;

  constructor(
    private readonly aggregates: AggregateStore,
    private readonly payloads: PostPayloads,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'baseUrl'>,
  ) {
    this.isPrivate = findFetchUrlProblem(settings.baseUrl ?? '') !== undefined;
  }

  /** As {@link PostPayloads.readPost}. @throws Unavailable @throws UnreadablePost */
  async readPost(stream: string, revision: string): Promise<PostWithPayload> {
    const post = await this.payloads.readPost(stream, revision);
    return { ...post, payload: await this.locate(post.payload) };
  }

  /** Returns a payload with the addresses of its uploads. @throws Unavailable */
  async locate<Payload extends Pick<PublishPayload, 'media' | 'overrides'>>(payload: Payload): Promise<Payload> {
    const ids = listUploadIds(payload);
    if (ids.length === 0) return payload;
    const found = new Map<string, Omit<LocatedMedium, 'type' | 'id'>>();
    await Promise.all(
      ids.map(async (id) => {
        const { state } = await this.aggregates.loadAggregate(media, id);
        if (!state) return;
        const url = addressOf(this.settings, { ...state, id });
        found.set(id, { url, filename: state.filename, isPrivate: this.isPrivate });
      }),
    );
    return mapUploads(payload, ({ type, id }) => ({ type, id, ...found.get(id) }));
  }
}
