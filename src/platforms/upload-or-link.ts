import type { JsonObject } from '../kernel/json.js';
import { UPLOAD_FAILED } from './error-table.js';
import { markFitted } from './fitted-photos.js';
import { becomesLink, classifyMediaError } from './media-error.js';
import { doneWithoutMessage } from './outcomes.js';
import type { MediaFile, PublishError, SendContext, StepOutcome, WantedMedium } from './publisher.js';

/**
 * Fetches a medium and runs the calls that upload it. If the network refuses the medium, runs them once more, because
 * the file may have been damaged in transit and a failed upload may always be repeated (networks.md §3). A file that is
 * too large is not sent again. A medium that is still refused becomes a link in the text (D-22), and `unsent` in the
 * result gives the reason. A refused medium never makes the post fail.
 */
export const uploadOrLink = async (
  { media }: Pick<SendContext, 'media'>,
  { index, limits }: WantedMedium,
  upload: (file: MediaFile) => Promise<StepOutcome>,
): Promise<StepOutcome> => {
  const file = await media(index, limits);
  if ('code' in file)
    return becomesLink(file) ? doneWithoutMessage({ unsent: file.message }) : classifyMediaError(file);
  try {
    const first = await upload(file);
    const last = first.kind === 'failed' && !becomesLink(first.error) ? await upload(file) : first;
    return markFitted(last.kind === 'failed' ? unsentBecause(last.error) : last, file);
  } finally {
    file.release();
  }
};

/** True if an upload may succeed with a new address. */
export const isFailedUpload = (outcome: StepOutcome): boolean =>
  outcome.kind === 'failed' && outcome.error.code === UPLOAD_FAILED;

/** Returns why a medium becomes a link, for {@link linkedMediaWarning}. */
export const reasonForLink = (error: PublishError): string => {
  const { code, message, platform_says: says } = error;
  if (becomesLink(error)) return says ? `${code}: ${says}` : code;
  return says ? `${message} (${says})` : message;
};

const unsentBecause = ({ message, platform_says: says }: PublishError): StepOutcome =>
  doneWithoutMessage({ unsent: says ? `${message} (${says})` : message });

/** Reads from an upload's result why the medium becomes a link; null if it was uploaded. */
export const readUnsent = (result: JsonObject | undefined): string | null =>
  typeof result?.['unsent'] === 'string' ? result['unsent'] : null;

/** True if a status means that the server, not the file, is the problem, whatever the body says. */
export const isServerBusy = (status: number): boolean => status === 429 || status >= 500;

/** Returns the outcome of a refused upload. @param says the network's own message (see `platform-says.ts`) */
export const fileRefusal = (
  source: string,
  message: string,
  says: Pick<PublishError, 'platform_says'> = {},
): StepOutcome => ({
  kind: 'failed',
  error: { code: 'media_refused', category: 'media', source, message, ...says },
});
