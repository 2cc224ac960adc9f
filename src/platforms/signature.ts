import type { Warning } from './publisher.js';

/** What stands between a text, its signature and the lines that must follow. */
export const BLANK_LINE = '\n\n';

/** A signature that is longer than all that a network takes. */
const DROPPED: Warning = { code: 'signature_dropped', message: 'The signature finds no room: it is left out.' };

/** What is told of a signature that found no room. */
export const signatureWarnings = ({ droppedSignature }: { readonly droppedSignature: boolean }): readonly Warning[] =>
  droppedSignature ? [DROPPED] : [];
