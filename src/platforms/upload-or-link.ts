import { becomesLink } from './media-error.js';
import type { PublishError, StepOutcome } from './publisher.js';

/**
 * Runs the calls that upload a medium. If the network refuses the medium, runs them once more, because the file may
 * have been damaged in transit and a failed upload may always be repeated (networks.md §3). A file that is too large is
 * not sent again. A medium that is still refused becomes a link in the text (D-22), and `unsent` in the result gives
 * the reason. A refused medium never makes the post fail.
 */
export const uploadOrLink = async (chain: () => Promise<StepOutcome>): Promise<StepOutcome> => {
  const first = await chain();
  // A retry would not help: the file would still be too large.
  const last = first.kind === 'failed' && !becomesLink(first.error) ? await chain() : first;
  if (last.kind !== 'failed') return last;
  return { kind: 'done', result: { unsent: describeFailure(last.error) }, messageIds: [], urls: [] };
};

/** True if a status means that the server, not the file, is the problem, whatever the body says. */
export const isServerBusy = (status: number): boolean => status === 429 || status >= 500;

/** Returns the outcome of a refused upload. @param says the network's own words (see `platform-says.ts`) */
export const fileRefusal = (
  source: string,
  message: string,
  says: Pick<PublishError, 'platform_says'> = {},
): Extract<StepOutcome, { kind: 'failed' }> => ({
  kind: 'failed',
  error: { code: 'media_refused', category: 'media', source, message, ...says },
});

/** Describes a failure in one line, with the network's own words if there are any (D-35). */
const describeFailure = ({ message, platform_says: says }: PublishError): string =>
  says ? `${message} (${says})` : message;
