import { DEGRADATION_MESSAGES } from './messages.js';
import type { Warning } from './publisher.js';

/** Separator between a text, its signature and the lines below them. */
export const BLANK_LINE = '\n\n';

/** Warning about a signature that is longer than a network's limit. */
const DROPPED: Warning = { code: 'signature_dropped', message: DEGRADATION_MESSAGES.signatureDropped };

/** Returns the warning about a signature that does not fit. */
export const signatureWarnings = ({ droppedSignature }: { readonly droppedSignature: boolean }): readonly Warning[] =>
  droppedSignature ? [DROPPED] : [];
