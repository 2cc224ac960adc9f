import { countOf } from '../kernel/message.js';
import { DEGRADATION_MESSAGES as MESSAGES } from './messages.js';
import type { PlainText } from './plain-text.js';
import type { Warning } from './publisher.js';

/** Returns the warning for text that exceeds a network's limit by `excess` UTF-16 units. */
export const trimmedWarnings = (network: string, limit: number, excess: number): Warning[] =>
  excess > 0 ? [{ code: 'text_trimmed', message: MESSAGES.textTrimmed({ network, limit, excess }) }] : [];

/** Returns the warning for links that do not fit into the text. */
export const droppedLinksWarnings = (code: 'links_dropped' | 'media_dropped', count: number): Warning[] =>
  count > 0 ? [{ code, message: MESSAGES.linksDropped({ links: countOf(count, 'link') }) }] : [];

/** Returns the warning for a signature that does not fit. */
export const signatureWarnings = ({ droppedSignature }: { readonly droppedSignature: boolean }): Warning[] =>
  droppedSignature ? [{ code: 'signature_dropped', message: MESSAGES.signatureDropped }] : [];

/** Returns all warnings for text on a network that does not support formatting. */
export const plainTextWarnings = (shown: PlainText, network: string, limit: number): Warning[] => [
  ...trimmedWarnings(network, limit, shown.trimmedChars),
  ...droppedLinksWarnings('links_dropped', shown.droppedLinks),
  ...(shown.losesFormatting ? [{ code: 'formatting_dropped', message: MESSAGES.plainTextOnly({ network }) }] : []),
  ...signatureWarnings(shown),
];

/** Returns the warning for a post that has nothing the network can publish (D-22). */
export const nothingToSend = (network: string): Warning => ({
  code: 'nothing_to_send',
  message: MESSAGES.nothingToSend({ network }),
});
