import { LIMITS } from '../../../payload/payload.js';
import type { CheckedMedium } from '../media-check.js';
import type { ReadPayload } from '../read-payload.js';

/** Spec: POST /v1/sandbox/test, `validation`; `not_checked` where a body could not be read so far. */
export interface SandboxValidation {
  readonly schema: Verdict;
  readonly entities: Verdict;
  readonly media: readonly SandboxMedium[];
}
type Verdict = 'passed' | 'failed' | 'not_checked';

/** One medium, as far as it was looked at. */
export interface SandboxMedium {
  readonly url: string;
  /** In units of 1,048,576 bytes (D-43); null where it is not known. */
  readonly size_mb: number | null;
  readonly ok: boolean;
  /** Why it could not be looked at as a whole, which is no error (D-24). */
  readonly note?: string;
}

const MB = 1_048_576;

/** A medium as the sandbox shows it. */
export const shownMedium = ({ url, sizeBytes, ok, note }: CheckedMedium): SandboxMedium => ({
  url,
  size_mb: sizeBytes === null ? null : Number((sizeBytes / MB).toFixed(3)),
  ok,
  ...(note !== undefined && { note }),
});

/** Of a body that says nothing, because it is too long or no JSON. */
export const NOT_READ: SandboxValidation = { schema: 'failed', entities: 'not_checked', media: [] };

/** What passed of a payload that was refused. */
export const validationOf = ({
  status,
  problems,
  sent,
}: Extract<ReadPayload, { readonly ok: false }>): SandboxValidation => {
  if (sent === undefined) return NOT_READ;
  const isWrong = (path: string): boolean => problems.some((problem) => problem.path.startsWith(path));
  return {
    schema: status === 422 ? 'failed' : 'passed',
    entities: isWrong('entities') ? 'failed' : 'passed',
    media: mediaUrls(sent).map(({ url, index }) => ({ url, size_mb: null, ok: !isWrong(`media[${index}]`) })),
  };
};

/** The URLs of what was sent as media, whatever else is wrong with it. */
const mediaUrls = (sent: unknown): { readonly url: string; readonly index: number }[] => {
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
