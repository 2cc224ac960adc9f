import type { Processing, Translation } from '../domain/project/processing.js';
import { countOf } from '../kernel/message.js';
import { placeEntities, type TextWithEntities } from '../payload/entities.js';
import type { PublishPayload } from '../payload/payload.js';
import { type PlatformPost, type PublishError, toPlatformPost, type Warning } from '../platforms/publisher.js';
import { isVisible } from '../validation/text-measure.js';
import { addSignature, removeFooter } from './edit-text.js';
import { findFilterReason } from './filters.js';
import { PROCESSING_MESSAGES } from './messages.js';
import { LOCAL_SEARCH, type PatternSearch } from './pattern.js';
import { applyReplacements } from './replacements.js';
import type { Translate } from './translation/translation.js';

/** Result of processing a post for one network with a project's settings. */
export type ProcessedPost =
  | { readonly kind: 'post'; readonly post: PlatformPost; readonly warnings: readonly Warning[] }
  /** The post is not published on this network. */
  | { readonly kind: 'filtered'; readonly reason: Warning }
  /** The post must wait. `afterMs`: delay until the next attempt; null for the gateway's own backoff. */
  | { readonly kind: 'wait'; readonly error: PublishError; readonly afterMs: number | null };

/**
 * Processes a post for one network in the order of D-28: filters, footer, replacements, translation, signature. Every
 * step keeps entities attached to their words.
 *
 * @param translate called at most once, and only if the project uses translation and the text is not blank
 */
export const processPost = async (
  payload: PublishPayload,
  { filters = [], footer, replacements = [], translation, signature }: Processing,
  platform: string,
  translate: Translate,
  search: PatternSearch = LOCAL_SEARCH,
): Promise<ProcessedPost> => {
  const original = toPlatformPost(payload);
  const { text, entities } = original;
  const reason = findFilterReason(text, filters, platform, search);
  if (reason) return { kind: 'filtered', reason };

  const cut = footer ? removeFooter({ text, entities }, footer, search) : { text, entities };
  const replaced = applyReplacements(cut, replacements);
  const translated = await translateText(replaced.content, translation, translate);
  if (translated.kind === 'wait') return translated;
  const post = { ...original, ...translated.content };
  return {
    kind: 'post',
    post: signature ? addSignature(post, signature, platform) : post,
    warnings: [...replaced.warnings, ...translated.warnings],
  };
};

type TranslatedText =
  | { readonly kind: 'content'; readonly content: TextWithEntities; readonly warnings: readonly Warning[] }
  | Extract<ProcessedPost, { kind: 'wait' }>;

const translateText = async (
  content: TextWithEntities,
  how: Translation | undefined,
  translate: Translate,
): Promise<TranslatedText> => {
  if (!how || !isVisible(content.text)) return { kind: 'content', content, warnings: [] };
  const answer = await translate(content, how);
  if (answer.kind === 'failed') {
    const { error, afterMs } = answer;
    if (how.on_failure === 'retry') return { kind: 'wait', error, afterMs };
    const { platform_says: text } = error;
    const cause = text === undefined ? error.message : PROCESSING_MESSAGES.platformSays({ error: error.message, text });
    const message = PROCESSING_MESSAGES.originalPublished({ error: cause });
    return { kind: 'content', content, warnings: [{ code: error.code, message }] };
  }
  const entities = placeEntities(content.entities, answer.places);
  const lost = content.entities.length - entities.length;
  const message = PROCESSING_MESSAGES.formattingLost({ entities: countOf(lost, 'formatted part') });
  const warnings = lost > 0 ? [{ code: 'formatting_lost_in_translation', message }] : [];
  return { kind: 'content', content: { text: answer.text, entities }, warnings };
};
