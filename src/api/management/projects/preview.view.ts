import type { TextWithEntities } from '../../../payload/entities.js';
import type { Entity } from '../../../payload/payload.js';
import type { ProcessedPost } from '../../../processing/process-post.js';
import { joinSignature } from '../../../processing/signature.js';
import { PREVIEW_MESSAGES } from '../../public/messages.js';

/** A warning about the processed text. */
interface ProcessingWarningView {
  readonly code: string;
  readonly message: string;
}

/** The processed text for one network. The network's own limits are not applied; use the sandbox to see them. */
export class ProcessedTextView {
  /** The processed text, or the original text if the post would not be published. */
  readonly text: string;
  readonly entities: readonly Entity[];
  /** The reason why the post would not be published on this network; null if it would be. */
  readonly filtered: string | null;
  /** A translation that failed, or formatting that was lost. */
  readonly warnings: readonly ProcessingWarningView[];

  constructor(processed: ProcessedPost, original: TextWithEntities) {
    const { text, entities } = processed.kind === 'post' ? joinSignature(processed.post) : original;
    this.text = text;
    this.entities = entities;
    this.filtered = processed.kind === 'filtered' ? processed.reason.message : null;
    this.warnings = listWarnings(processed);
  }
}

const listWarnings = (processed: ProcessedPost): readonly ProcessingWarningView[] => {
  if (processed.kind === 'filtered') return [];
  if (processed.kind === 'post') return processed.warnings;
  const { code, message } = processed.error;
  return [{ code, message: PREVIEW_MESSAGES.wouldWait({ error: message }) }];
};

/** The result of a processing preview (management-api.md: Previews of processing). */
export interface ProcessingPreviewView {
  /** By network id: the networks of the project's channels, or all networks if it has no channels. */
  readonly platforms: Readonly<Record<string, ProcessedTextView>>;
}
