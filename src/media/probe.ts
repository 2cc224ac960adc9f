import { setMaxListeners } from 'node:events';
import type { Media, Problem } from '../payload/payload.js';
import { examine, type Examination, type ReadStretch } from './examine.js';
import type { GuardedClient } from '../outbound-http/guarded-client.js';
import { Inspector } from './inspector.js';
import { MediaFetchError } from '../outbound-http/fetch-error.js';
import { factsOf, mediaComplaint, sumComplaint, type MediaFacts } from './media-rules.js';
import { readRange } from './read-range.js';
import { Slots } from '../runtime/semaphore.js';

/** What a few small reads told about one medium of a payload (D-24). */
export interface ProbeReport extends MediaFacts, Media {
  /** False where something is certainly wrong. */
  readonly ok: boolean;
  /** What is certainly wrong: 400 (D-5). The path is that of the medium's URL, `media[2].url`. */
  readonly problem?: Problem;
  /** True where not everything could be found out: its host is slow or down, which is no error (D-24). */
  readonly inconclusive: boolean;
  /** Why, for people; only where it is inconclusive. */
  readonly note?: string;
}

/** Looks at media before a post is accepted. */
export interface Prober {
  /** One report for each medium, in their order, within the budget. Never throws. */
  probeAll(media: readonly Media[], signal?: AbortSignal): Promise<readonly ProbeReport[]>;
  /** Ends the process that parses; the client is the caller's. */
  close(): void;
}

/** How a {@link Prober} is set up. */
export interface ProberOptions {
  readonly client: GuardedClient;
  readonly inspector?: Inspector;
  /** Milliseconds for all media of a payload together (D-24); 3 s. */
  readonly budgetMs?: number;
}

/** Media that are read beyond their first 64 KB side by side; each may take 4 MB of memory. */
const DEEP_PROBES = 32;

/** A prober for one process. */
export const createProber = ({ client, inspector = new Inspector(), budgetMs = 3_000 }: ProberOptions): Prober => {
  const slots = new Slots(DEEP_PROBES);

  /** @param over when the budget is: what is known by then counts. */
  const probe = (medium: Media, path: string, signal: AbortSignal, over: Promise<void>): Promise<ProbeReport> => {
    const read: ReadStretch = (stretch) => readRange(client, medium.url, stretch, { timeoutMs: budgetMs, signal });
    let known: Examination | undefined;
    const soFar = (why: string): ProbeReport => (known ? judged(medium, path, known) : inconclusive(medium, path, why));
    const look = async (): Promise<ProbeReport> => {
      try {
        for await (known of examine(read, inspector, { slots, signal })) if (mediaComplaint(medium.type, known)) break;
        return soFar('could not be read');
      } catch (error) {
        return error instanceof MediaFetchError && error.permanent
          ? refused(medium, path, error)
          : soFar(error instanceof Error ? error.message : String(error));
      }
    };
    return Promise.race([look(), over.then(() => soFar(`took longer than ${budgetMs} ms`))]);
  };

  return {
    async probeAll(media, signal) {
      const budget = new AbortController();
      setMaxListeners(0, budget.signal); // a few for each medium; that is no leak
      const stop = (): void => budget.abort();
      const timer = setTimeout(stop, budgetMs);
      if (signal?.aborted) stop();
      signal?.addEventListener('abort', stop, { once: true });
      const over = new Promise<void>((resolve) => {
        if (budget.signal.aborted) resolve();
        budget.signal.addEventListener('abort', () => resolve(), { once: true });
      });
      try {
        return await Promise.all(
          media.map((medium, index) => probe(medium, `media[${index}].url`, budget.signal, over)),
        );
      } finally {
        clearTimeout(timer);
        signal?.removeEventListener('abort', stop);
        stop();
      }
    },
    close: () => inspector.close(),
  };
};

/** Everything that is certainly wrong with media, each with its path; their sum is a problem of `media` as a whole. */
export const mediaProblems = (reports: readonly ProbeReport[]): readonly Problem[] => {
  const problems = reports.flatMap(({ problem }) => problem ?? []);
  const sum = sumComplaint(reports);
  return sum ? [...problems, { path: 'media', code: sum.code, message: `media ${sum.what}` }] : problems;
};

const judged = (medium: Media, path: string, examination: Examination): ProbeReport => {
  const facts = factsOf(examination);
  const complaint = mediaComplaint(medium.type, examination);
  if (complaint) return { ...medium, ...facts, ...wrong(path, complaint.code, complaint.what) };
  const open = openQuestion(medium, facts, examination.isComplete);
  if (open !== undefined) return { ...inconclusive(medium, path, open), ...facts };
  return { ...medium, ...facts, ok: true, inconclusive: false };
};

/** What a check would need to know, and does not. */
const openQuestion = ({ type }: Media, facts: MediaFacts, isComplete: boolean): string | undefined => {
  if (facts.mime === null) return 'could not be read';
  if (facts.sizeBytes === null) return 'comes without its size in bytes';
  if (type === 'photo' && facts.width === undefined) return 'does not tell its size in pixels';
  return isComplete ? undefined : 'could not be read far enough to tell its length';
};

/** A file that will not come, however often it is asked for. */
const refused = (medium: Media, path: string, { code, message }: MediaFetchError): ProbeReport => ({
  ...medium,
  ...{ sizeBytes: null, mime: null },
  ...wrong(path, code === 'private_address' ? code : `media_${code}`, message),
});

const wrong = (path: string, code: string, what: string) => ({
  ok: false,
  inconclusive: false,
  problem: { path, code, message: `${path} ${what}` },
});

const inconclusive = (medium: Media, path: string, why: string): ProbeReport => ({
  ...medium,
  ...{ sizeBytes: null, mime: null },
  ...{ ok: true, inconclusive: true, note: `${path} ${why}` },
});
