import { Injectable } from '@nestjs/common';
import type { Processing } from '../../domain/project/processing.js';
import { project as projectDecider } from '../../domain/project/project.decider.js';
import { AggregateStore } from '../../event-store/aggregate-store.js';
import type { Origin } from '../../kernel/events.js';
import type { TextWithEntities } from '../../payload/entities.js';
import type { PublishPayload } from '../../payload/payload.js';
import { trimText } from '../../payload/replace-ranges.js';
import { Publishers } from '../../platforms/platform-catalogue.js';
import { processPost } from '../../processing/process-post.js';
import { StoredTranslations } from '../publish-due-posts/inputs/post-processor.js';

/** A publication whose text is needed. */
export interface PublishedPost {
  readonly postId: string;
  readonly payload: PublishPayload;
  readonly projectId: string;
  /** Revision of the project that processed the text; null if none was recorded. */
  readonly projectRevision: string | null;
  readonly channelId: string;
  readonly platform: string;
  readonly address: Readonly<Record<string, string>>;
}

const BLANK_LINE = '\n\n';

/** Reconstructs post text as it was published on a target: processed by the project, signed, and trimmed (D-29). */
@Injectable()
export class PublishedTexts {
  constructor(
    private readonly aggregates: AggregateStore,
    private readonly publishers: Publishers,
    private readonly translations: StoredTranslations,
  ) {}

  /**
   * Returns the published text, or the original text if the published text cannot be reconstructed, for example because
   * a translation is missing.
   */
  async read(post: PublishedPost, origin: Origin, signal: AbortSignal): Promise<TextWithEntities> {
    const { payload, postId, projectId, projectRevision, platform, channelId, address } = post;
    const original = { text: payload.text ?? '', entities: payload.entities ?? [] };
    if (projectRevision === null) return original;
    const { state } = await this.aggregates.loadAggregateAt(projectDecider, projectId, BigInt(projectRevision));
    if (!state) return original;
    // The management API validated this value before it was stored, so it is a valid Processing.
    const processing = state.processing as unknown as Processing;
    const translate = this.translations.forPost(postId, state.ownerId, origin, signal);
    const processed = await processPost(payload, processing, platform, translate);
    if (processed.kind !== 'post') return original;
    const { text, entities, signature } = processed.post;
    const target = { id: channelId, address, settings: {} };
    const { trimmedChars } = this.publishers.get(platform).render(processed.post, target);
    const kept = trimmedChars === 0 ? { text, entities } : trimText({ text, entities }, text.length - trimmedChars + 1);
    return signature ? appendSignature(kept, signature) : { text: kept.text, entities: kept.entities };
  }
}

const appendSignature = (body: TextWithEntities, signature: TextWithEntities): TextWithEntities => {
  const separator = body.text === '' ? '' : BLANK_LINE;
  const moved = body.text.length + separator.length;
  const ofSignature = signature.entities.map((entity) => ({ ...entity, offset: entity.offset + moved }));
  return { text: body.text + separator + signature.text, entities: [...body.entities, ...ofSignature] };
};
