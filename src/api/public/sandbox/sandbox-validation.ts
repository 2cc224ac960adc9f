import { LIMITS } from '../../../payload/payload.js';
import type { CheckedMedium } from '../media-check.js';
import type { PayloadCheck } from '../read-payload.js';
import { SandboxMediumView, SandboxValidationView } from './sandbox.view.js';

/** Matches the path of an override's entities. */
const OVERRIDDEN_ENTITIES = /^overrides\b.*\.entities\b/;

/** Bytes per MB (D-43). */
const MB = 1_048_576;

/** Builds the view of a probed media file. */
export const buildMediumView = ({ url, sizeBytes, ok, note }: CheckedMedium): SandboxMediumView =>
  new SandboxMediumView(url, sizeBytes === null ? null : Number((sizeBytes / MB).toFixed(3)), ok, note);

/** The results for a body that is too large or not JSON. */
export const UNREADABLE_BODY = new SandboxValidationView('failed', 'not_checked', []);

/** Builds the results for a rejected payload. */
export const buildValidationView = ({
  status,
  problems,
  sent,
}: Extract<PayloadCheck, { readonly ok: false }>): SandboxValidationView => {
  if (sent === undefined) return UNREADABLE_BODY;
  const isWrong = (path: string): boolean => problems.some((problem) => problem.path.startsWith(path));
  const media = findMediaUrls(sent).map(
    ({ url, index }) => new SandboxMediumView(url, null, !isWrong(`media[${index}]`)),
  );
  return new SandboxValidationView(
    status === 422 ? 'failed' : 'passed',
    isWrong('entities') || problems.some(({ path }) => OVERRIDDEN_ENTITIES.test(path)) ? 'failed' : 'passed',
    media,
  );
};

/** Finds the media URLs in a body, which may be invalid. */
const findMediaUrls = (sent: unknown): { readonly url: string; readonly index: number }[] => {
  const media = typeof sent === 'object' && sent !== null && 'media' in sent ? sent.media : [];
  if (!Array.isArray(media)) return [];
  return (media as unknown[])
    .slice(0, LIMITS.media)
    .flatMap((medium, index) =>
      typeof medium === 'object' && medium !== null && 'url' in medium && typeof medium.url === 'string'
        ? { url: medium.url, index }
        : [],
    );
};
