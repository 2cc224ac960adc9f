import { goesAsLink } from './media-error.js';
import type { PublishError, StepOutcome } from './publisher.js';

/**
 * Runs the calls that upload a medium. Where they are refused, once more: the file may have been damaged on its way, and
 * a failed upload may always be sent again (networks.md §3). What is refused again goes as a link in the text (D-22):
 * the result's `unsent` says why, and no upload fails its post.
 */
export const uploadOrLink = async (chain: () => Promise<StepOutcome>): Promise<StepOutcome> => {
  const first = await chain();
  // What is too large will be so again.
  const last = first.kind === 'failed' && !goesAsLink(first.error) ? await chain() : first;
  if (last.kind !== 'failed') return last;
  return { kind: 'done', result: { unsent: withWords(last.error) }, messageIds: [], urls: [] };
};

/** A status that tells of the server, whatever stands in the answer: it says nothing of the file. */
export const isBusy = (status: number): boolean => status === 429 || status >= 500;

/** A file that a network will not have. @param says the network's own words, see `platform-says.ts` */
export const fileRefused = (
  source: string,
  message: string,
  says: Pick<PublishError, 'platform_says'> = {},
): Extract<StepOutcome, { kind: 'failed' }> => ({
  kind: 'failed',
  error: { code: 'media_refused', category: 'media', source, message, ...says },
});

/** A failure in one line, with the network's own words where there are any (D-35). */
const withWords = ({ message, platform_says: says }: PublishError): string => (says ? `${message} (${says})` : message);
