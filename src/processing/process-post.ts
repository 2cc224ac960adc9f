import type { Processing, Translation } from '../domain/project/processing.js';
import { entitiesAt, type TextWithEntities } from '../payload/entities.js';
import type { PublishPayload } from '../payload/payload.js';
import { isVisible } from '../validation/text-measure.js';
import { type PlatformPost, platformPostOf, type PublishError, type Warning } from '../platforms/publisher.js';
import { filterReason } from './filters.js';
import { withoutFooter } from './footer.js';
import { withReplacements } from './replacements.js';
import { withSignature } from './signature.js';
import type { Translate } from './translation/translation.js';

/** What a project makes of a post for one network. */
export type Processed =
  | { readonly kind: 'post'; readonly post: PlatformPost; readonly warnings: readonly Warning[] }
  /** It does not go there, and why. */
  | { readonly kind: 'filtered'; readonly reason: Warning }
  /** It cannot go yet. `afterMs`: when to try again; null: our own backoff. */
  | { readonly kind: 'wait'; readonly error: PublishError; readonly afterMs: number | null };

/**
 * A post as its project wants it on one network, in the order of D-28: filters, footer, replacements, translation,
 * signature. Every step keeps each entity on its words.
 *
 * @param translate asked at most once, and only where the project translates and there is something to read
 */
export const processPost = async (
  payload: PublishPayload,
  { filters = [], footer, replacements = [], translation, signature }: Processing,
  platform: string,
  translate: Translate,
): Promise<Processed> => {
  const original = platformPostOf(payload);
  const { text, entities } = original;
  const reason = filterReason(text, filters, platform);
  if (reason) return { kind: 'filtered', reason };

  const cut = footer ? withoutFooter({ text, entities }, footer) : { text, entities };
  const replaced = withReplacements(cut, replacements);
  const translated = await inOtherWords(replaced.content, translation, translate);
  if (translated.kind === 'wait') return translated;
  const post = { ...original, ...translated.content };
  return {
    kind: 'post',
    post: signature ? withSignature(post, signature, platform) : post,
    warnings: [...replaced.warnings, ...translated.warnings],
  };
};

type InOtherWords =
  | { readonly kind: 'content'; readonly content: TextWithEntities; readonly warnings: readonly Warning[] }
  | Extract<Processed, { kind: 'wait' }>;

const inOtherWords = async (
  content: TextWithEntities,
  how: Translation | undefined,
  translate: Translate,
): Promise<InOtherWords> => {
  if (!how || !isVisible(content.text)) return { kind: 'content', content, warnings: [] };
  const answer = await translate(content, how);
  if (answer.kind === 'failed') {
    const { error, afterMs } = answer;
    if (how.on_failure === 'retry') return { kind: 'wait', error, afterMs };
    const says = error.platform_says === undefined ? '' : ` It says: ${error.platform_says}`;
    const message = `${error.message}${says} The text is published as it came.`;
    return { kind: 'content', content, warnings: [{ code: error.code, message }] };
  }
  const entities = entitiesAt(content.entities, answer.places);
  const lost = content.entities.length - entities.length;
  const message = `${lost} formatted stretches did not come back from the translation: their words are plain.`;
  const warnings = lost > 0 ? [{ code: 'formatting_lost_in_translation', message }] : [];
  return { kind: 'content', content: { text: answer.text, entities }, warnings };
};
