import type { Processing } from '../domain/project/processing.js';
import type { PublishPayload } from '../payload/payload.js';
import {
  type EditRendering,
  gatewayError,
  type PlatformChannel,
  type PlatformPost,
  type PublishedPost,
  type Publisher,
  type PublishError,
  type SendContext,
} from '../platforms/publisher.js';
import { PROCESSING_MESSAGES } from './messages.js';
import type { PatternSearch } from './pattern.js';
import { type ProcessedPost, processPost } from './process-post.js';
import type { Translate } from './translation/translation.js';

/** A post on one channel, with the processing of its project. */
export interface UnprocessedPost {
  readonly payload: PublishPayload;
  readonly processing: Processing;
}

/** Messages of a publication, and the content that they are to show. */
export interface EditedMessages extends Omit<PublishedPost, 'post'> {
  readonly shown: UnprocessedPost;
  readonly next: UnprocessedPost;
  readonly publisher: Publisher;
  readonly channel: PlatformChannel;
}

/** How readers' messages become the new content. */
export type EditPlan =
  | { readonly kind: 'plan'; readonly published: PublishedPost; readonly rendering: EditRendering }
  /** The messages cannot hold it. */
  | { readonly kind: 'refused'; readonly error: PublishError }
  /** See {@link ProcessedPost}. */
  | Extract<ProcessedPost, { kind: 'wait' }>;

/**
 * Plans an edit (D-72): processes what readers see as it was processed then, and the new content as the project is now.
 * @param results of the edit's uploads so far
 */
export const planEdit = async (
  { publisher, channel, messageIds, results: publishedResults, shown, next }: EditedMessages,
  translate: Translate,
  results: SendContext['results'] = {},
  search?: PatternSearch,
): Promise<EditPlan> => {
  const { platform } = publisher;
  const processed = await processPost(next.payload, next.processing, platform, translate, search);
  if (processed.kind === 'wait') return processed;
  if (processed.kind === 'filtered') return refuse('filtered', processed.reason.message);
  if (!publisher.renderEdit) return refuse('edit_unsupported', PROCESSING_MESSAGES.editUnsupported);
  const post = await processShown(shown, platform, translate, search);
  const published = { post, results: publishedResults, messageIds };
  const rendering = publisher.renderEdit(published, processed.post, channel, results);
  if ('refusal' in rendering) return refuse(rendering.refusal.code, rendering.refusal.message);
  const warnings = [...processed.warnings, ...rendering.warnings];
  return { kind: 'plan', published, rendering: { ...rendering, warnings } };
};

/** Processes what readers see. A translation that is not kept any more is left out: only the messages' number counts. */
export const processShown = async (
  { payload, processing }: UnprocessedPost,
  platform: string,
  translate: Translate,
  search?: PatternSearch,
): Promise<PlatformPost> => {
  // It passed the filters when it was published.
  const { filters: _, ...translated } = processing;
  const { translation: __, ...rest } = translated;
  for (const how of [translated, rest]) {
    const processed = await processPost(payload, how, platform, translate, search);
    if (processed.kind === 'post') return processed.post;
  }
  throw new Error('a published post cannot be processed without filters and translation');
};

const refuse = (code: string, message: string): EditPlan => ({
  kind: 'refused',
  error: gatewayError(code, 'payload', message),
});
