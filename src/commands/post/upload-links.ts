import { Inject, Injectable } from '@nestjs/common';
import { media } from '../../domain/media/media.decider.js';
import { AggregateStore } from '../../event-store/aggregate-store.js';
import { CLOCK, type Clock } from '../../kernel/clock.js';
import type { Origin } from '../../kernel/events.js';
import { type JsonObject, newUuid } from '../../kernel/ids.js';
import type { PostMedium } from '../../payload/payload.js';
import { toLocated } from '../../payload/uploads.js';

/** Keeps the uploads that published posts link to (D-22, D-92): a link in a published post must not die. */
@Injectable()
export class UploadLinks {
  constructor(
    private readonly aggregates: AggregateStore,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * Notes which uploads a call to a network links to. Call it before the call is made, so that no answer is needed.
   * @param located the post's media, with their addresses
   * @throws Unavailable
   */
  async keepLinked(
    call: { readonly request: JsonObject } | undefined,
    located: readonly PostMedium[] | undefined,
    postId: string,
    origin: Origin,
  ): Promise<void> {
    const uploads = (located ?? []).map(toLocated).flatMap(({ id, url }) => (id === undefined ? [] : [{ id, url }]));
    if (!call || uploads.length === 0) return;
    const request = JSON.stringify(call.request);
    for (const { id: mediaId, url } of uploads) {
      if (!request.includes(url)) continue;
      const at = this.clock.now();
      const context = { ...origin, commandId: newUuid(), at };
      await this.aggregates.execute(media, mediaId, { type: 'LinkMedia', mediaId, postId, at }, context);
    }
  }
}
