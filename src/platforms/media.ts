import type { Json, JsonObject } from '../kernel/ids.js';
import { asSentence } from '../kernel/message.js';
import { isWithinPhotoLimits } from '../media/photo-limits.js';
import { shiftEntities, type TextWithEntities } from '../payload/entities.js';
import type { LocatedMedium, Media } from '../payload/payload.js';
import { type TrimmedText, trimText } from '../payload/replace-ranges.js';
import { type FieldProblem, formatCount } from '../validation/wording.js';
import { DEGRADATION_MESSAGES, OBSTACLE_MESSAGES } from './messages.js';
import { doneWithoutMessage, retry, UPLOAD_FAILED } from './outcomes.js';
import { BLANK_LINE, fitLines } from './plain-text.js';
import type {
  MediaFile,
  MediaLimits,
  PreviewCall,
  ProbedMedium,
  PublishError,
  SendContext,
  StepOutcome,
  WantedMedium,
  Warning,
} from './publisher.js';

/** A method call for an upload, to be made or to be previewed in the sandbox. */
export interface MethodCall {
  readonly method: string;
  readonly parameters: Readonly<Record<string, string>>;
}

/** Converts a call to its sandbox preview. */
export const toPreviewCall = ({ method, parameters }: MethodCall): PreviewCall => ({ method, request: parameters });

/** Placeholder for a field of the response to an earlier call of the same step. */
export const placeholderOf = (field: string, method: string): string => `<${field} of ${method}>`;

/** Placeholder for a medium's file. */
export const filePlaceholder = (url: Media['url']): string => `<file of ${url}>`;

/** Placeholder for the cover picture of a video, which is looked for when the post is sent (ADR-282). */
export const coverPlaceholder = (url: Media['url']): string => `<cover of ${url}, if it has one>`;

/**
 * Returns the preview of a file upload to a URL from an earlier response.
 * @param field form field for the file
 */
export const previewUpload = (address: string, field: string, url: Media['url']): PreviewCall => ({
  method: `POST ${address}`,
  request: { [field]: filePlaceholder(url) },
});

/**
 * Returns a step's request with every `{ "$from": "<step>.<field>" }` replaced by that field of the step's result.
 * @throws Error if there is no such field, which is a bug in the rendering
 */
export const resolveReferences = (request: JsonObject, results: Readonly<Record<string, JsonObject>>): JsonObject =>
  resolve(request, results) as JsonObject;

const resolve = (value: Json | undefined, results: Readonly<Record<string, JsonObject>>): Json | undefined => {
  if (typeof value !== 'object' || value === null) return value;
  if (isArray(value)) return value.map((item) => resolve(item, results) ?? null);
  const from = value['$from'];
  if (typeof from !== 'string') {
    const resolved: Record<string, Json | undefined> = {};
    for (const name of Object.keys(value)) resolved[name] = resolve(value[name], results);
    return resolved;
  }
  const dot = from.lastIndexOf('.');
  const answered = results[from.slice(0, dot)]?.[from.slice(dot + 1)];
  if (answered === undefined) throw new Error(`a rendered step refers to an unknown result: ${from}`);
  return answered;
};

const isArray = (value: Json): value is readonly Json[] => Array.isArray(value);

const BY_CODE: Readonly<Record<string, string>> = {
  media_too_large: OBSTACLE_MESSAGES.tooLarge,
  media_too_long: OBSTACLE_MESSAGES.tooLong,
  media_too_many_pixels: OBSTACLE_MESSAGES.tooManyPixels,
  media_unsuitable: OBSTACLE_MESSAGES.unsuitable,
};

/**
 * Returns the warnings about a medium that becomes a link in the text (D-22).
 * @param reason a sentence, or a code such as `media_too_large`, optionally followed by a colon and the network's own
 * message
 */
export const linkedMediaWarnings = (
  code: 'media_as_link' | 'media_linked',
  index: number,
  { isPrivate }: Pick<LocatedMedium, 'isPrivate'>,
  reason: string,
): Warning[] => {
  const [, obstacle = reason, words = ''] = /^([a-z_]+)(: [^]+)?$/.exec(reason) ?? [];
  const described = asSentence(`${BY_CODE[obstacle] ?? obstacle}${words}`);
  const linked = { code, message: DEGRADATION_MESSAGES.mediaAsLink({ index, reason: described }) };
  if (!isPrivate) return [linked];
  return [linked, { code: 'media_link_private', message: DEGRADATION_MESSAGES.mediaLinkPrivate({ index }) }];
};

/** Error codes for intact files that cannot be converted into a form that the network accepts (D-22). */
const UNSUITABLE: ReadonlySet<string> = new Set([
  'media_too_large',
  'media_too_long',
  'media_too_many_pixels',
  'media_unsuitable',
]);

/** True if the medium becomes a link in the text (D-22). */
export const becomesLink = (error: PublishError): boolean => error.category === 'media' && UNSUITABLE.has(error.code);

/**
 * Classifies the error of a medium that could not be fetched (publish-api.md: POST /v1/webhooks/{slug}, rule 3; D-24).
 * Only errors in the `media` category are permanent.
 */
export const classifyMediaError = (error: PublishError): StepOutcome =>
  error.category === 'media' ? { kind: 'failed', error } : retry(error);

/**
 * Returns the reason why a medium will become a link (D-22); null if the probe reveals none. Photos are converted to
 * fit any size and format limits; only their aspect ratio cannot change.
 */
export const forecastObstacle = (
  { type, sizeBytes, mime, width, height }: ProbedMedium,
  { maxBytes, maxRatio = Infinity, formats }: MediaLimits,
): FieldProblem | null => {
  if (type === 'photo') {
    if (width === undefined || height === undefined) return null;
    const isTooLong = Math.max(width, height) > Math.min(width, height) * maxRatio;
    return isTooLong ? unsuitable(OBSTACLE_MESSAGES.photoNotConvertible) : null;
  }
  if (sizeBytes !== null && sizeBytes > maxBytes)
    return {
      code: 'media_too_large',
      predicate: OBSTACLE_MESSAGES.sizeAboveLimit({ bytes: formatCount(sizeBytes), limit: formatCount(maxBytes) }),
    };
  return mime !== null && !formats.includes(mime) ? unsuitable(OBSTACLE_MESSAGES.formatNotAccepted({ mime })) : null;
};

/** True if the probe shows that a photo will be fitted. */
export const willBeFitted = (medium: ProbedMedium, limits: MediaLimits): boolean =>
  medium.type === 'photo' &&
  ![medium.sizeBytes, medium.mime, medium.width].some((known) => known === null || known === undefined) &&
  forecastObstacle(medium, limits) === null &&
  !isWithinPhotoLimits(medium, limits);

/**
 * Predicts the results of the steps that upload media one by one, as far as the probes allow.
 * @param limits the network's limits; a medium of any other type is not uploaded
 * @param stepName returns the name of a medium's upload step
 * @param toResult returns the result for a medium that cannot be uploaded
 */
export const forecastUploads = (
  media: readonly ProbedMedium[],
  limits: Readonly<Partial<Record<Media['type'], MediaLimits>>>,
  stepName: (index: number) => string,
  toResult: (obstacle: FieldProblem, index: number) => JsonObject,
): Readonly<Record<string, JsonObject>> => {
  const results: Record<string, JsonObject> = {};
  for (const [index, medium] of media.entries()) {
    const limit = limits[medium.type];
    const obstacle = limit && forecastObstacle(medium, limit);
    if (obstacle) results[stepName(index)] = toResult(obstacle, index);
    else if (limit && willBeFitted(medium, limit)) results[stepName(index)] = { fitted: true };
  }
  return results;
};

const unsuitable = (what: string): FieldProblem => ({ code: 'media_unsuitable', predicate: what });

/** Text with links below it. */
export interface LinkedText extends TrimmedText {
  /** Number of links that do not fit even without the text. */
  readonly droppedLinks: number;
  readonly droppedSignature: boolean;
}

/**
 * Returns formatted text followed by its signature and the links of media that cannot be sent (D-22, D-28). Signature
 * and links are never cut: the text is trimmed instead (D-23).
 *
 * @param content the text; empty if no part of it is visible
 * @param limit maximum UTF-16 units of the whole result
 */
export const appendLinks = (
  content: TextWithEntities,
  links: readonly string[],
  limit: number,
  signature?: TextWithEntities,
): LinkedText => {
  const signed = signature !== undefined && signature.text.length <= limit ? signature : { text: '', entities: [] };
  const kept = fitLines(links, limit - unitsWithSeparator(signed.text));
  const addresses = kept.join('\n');
  const trimmed = trimText(content, limit, {
    reserve: unitsWithSeparator(signed.text) + unitsWithSeparator(addresses),
  });
  const before = trimmed.text === '' ? 0 : unitsWithSeparator(trimmed.text);
  return {
    text: [trimmed.text, signed.text, addresses].filter((part) => part !== '').join(BLANK_LINE),
    entities: [...trimmed.entities, ...shiftEntities(signed.entities, before)],
    trimmedChars: trimmed.trimmedChars,
    droppedLinks: links.length - kept.length,
    droppedSignature: signature !== undefined && signed !== signature,
  };
};

/** Returns the length of a part and its separating blank line, in UTF-16 units; 0 for an empty part. */
const unitsWithSeparator = (part: string): number => (part === '' ? 0 : part.length + BLANK_LINE.length);

/** Returns the outcome of an upload, with `fitted: true` in its result if the photo was fitted. */
export const markFitted = (outcome: StepOutcome, { isFitted }: Pick<MediaFile, 'isFitted'>): StepOutcome =>
  isFitted && outcome.kind === 'done' ? { ...outcome, result: { ...outcome.result, fitted: true } } : outcome;

/** Returns the warning about a photo that was fitted (D-22). @param result result of its upload step */
export const fittedWarnings = (result: JsonObject | undefined, index: number): Warning[] =>
  result?.['fitted'] === true ? [{ code: 'photo_fitted', message: DEGRADATION_MESSAGES.photoFitted({ index }) }] : [];

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

/** Returns why a medium becomes a link, for {@link linkedMediaWarnings}. */
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

/** Returns the outcome of a refused upload. @param says the network's own message (`platformSays`) */
export const fileRefusal = (
  source: string,
  message: string,
  says: Pick<PublishError, 'platform_says'> = {},
): StepOutcome => ({
  kind: 'failed',
  error: { code: 'media_refused', category: 'media', source, message, ...says },
});
