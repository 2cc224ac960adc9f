import { setMaxListeners } from 'node:events';
import { FetchError } from '../outbound-http/answer-receiver.js';
import type { GuardedClient } from '../outbound-http/guarded-client.js';
import type { TrafficMeter } from '../outbound-http/request-slots.js';
import type { LocatedMedium, Media } from '../payload/payload.js';
import { KeyedSemaphore, Semaphore } from '../runtime/semaphore.js';
import type { Problem } from '../validation/problem-list.js';
import { aboutField } from '../validation/wording.js';
import { type FilePart, mostBytesOf, type Range, type RangeRead, readRange } from './download.js';
import { type Inspection, Inspector } from './inspector.js';
import { factsOf, findMediaProblem, findSumProblem, type MediaFacts } from './media-rules.js';
import { PROBE_NOTES } from './messages.js';

const KB = 1_024;

/** Size of the first read, in bytes: enough to detect the type and, for most files, all facts (networks.md §7). */
export const HEAD_BYTES = 64 * KB;
/** Sizes of further reads, in bytes. */
const NEXT_BYTES = [256, 256, 512, 1_024, 1_024, 1_024].map((kilobytes) => kilobytes * KB);
/** How many bytes to search for an image's dimensions, which are near the start of the file. */
const MAX_IMAGE_BYTES = 1_024 * KB;
/** How many bytes to search for a video's facts, which are at the start of its index. */
const MAX_VIDEO_BYTES = 4_096 * KB;

/** Reads a range of a file from a host or a disk. */
export type ReadRange = (range: Range) => Promise<RangeRead>;

/** Facts about a file from a few reads. */
export interface Examination {
  readonly sizeBytes: number | null;
  /** Null if the file could not be parsed: nothing is certain. */
  readonly inspection: Inspection | null;
  /** False if reading more bytes would reveal more facts. */
  readonly isComplete: boolean;
}

/**
 * Examines a file with as few and as small reads as possible, at most 4 MB. Yields the known facts after each read;
 * they stay valid if a later read fails.
 * @param slots limits concurrent reads beyond the first, which take a lot of memory
 * @param owner the file's owner; the parsing process serves owners in turn
 * @throws the errors of `read`
 */
export async function* examine(
  read: ReadRange,
  inspector: Inspector,
  {
    slots,
    signal,
    owner,
    wantsCover = false,
  }: {
    readonly slots?: Semaphore;
    readonly signal?: AbortSignal;
    readonly owner?: string | undefined;
    /** Asks for the cover picture of a video instead of its facts. */
    readonly wantsCover?: boolean;
  } = {},
): AsyncGenerator<Examination, void, void> {
  const { sizeBytes, ...head } = await read({ offset: 0, length: HEAD_BYTES });
  // If a host sends less than requested, everything stays unknown.
  if (head.bytes.length < Math.min(HEAD_BYTES, sizeBytes ?? 1) || head.bytes.length === 0)
    return yield { sizeBytes, inspection: null, isComplete: false };
  let inspection = await inspector.inspect({ sizeBytes, parts: [head], wantsCover }, signal, owner);
  yield { sizeBytes, inspection, isComplete: inspection?.needs === undefined };
  if (inspection?.needs === undefined) return;

  const release = await slots?.acquire(signal);
  try {
    const parts: FilePart[] = [head];
    let total = head.bytes.length;
    for (const wanted of NEXT_BYTES) {
      if (inspection?.needs === undefined) return;
      const limit = wantsCover || inspection.hasVideo !== undefined ? MAX_VIDEO_BYTES : MAX_IMAGE_BYTES;
      const length = Math.min(wanted, limit - total);
      if (length <= 0) return;
      const part = await read({ offset: inspection.needs, length });
      if (part.bytes.length === 0) return;
      parts.push(part);
      total += part.bytes.length;
      inspection = await inspector.inspect({ sizeBytes, parts, wantsCover }, signal, owner);
      yield { sizeBytes, inspection, isComplete: inspection?.needs === undefined };
    }
  } finally {
    release?.();
  }
}

/** Facts about one medium of a payload, from a few small reads (D-24). */
export interface ProbeReport extends MediaFacts, LocatedMedium {
  /** False if the file has a definite problem. */
  readonly ok: boolean;
  /** The definite problem: status 400 (D-5). Its path is the path of the file's URL, such as `media[2].url`. */
  readonly problem?: Problem;
  /** True if some facts are unknown because the host is slow or down, which is not an error (D-24). */
  readonly inconclusive: boolean;
  /** The reason why the report is inconclusive. */
  readonly note?: string;
  /** True if the host name does not resolve to an address (D-49). */
  readonly isHostUnknown?: boolean;
}

/** Probes media before a post is accepted. */
export interface Prober {
  /**
   * Returns one report per medium, in order, within the time budget. Reports among the media are returned as they are.
   * Throws only errors thrown by `pay`.
   */
  probeAll(media: readonly (Media | ProbeReport)[], options?: ProbeOptions): Promise<readonly ProbeReport[]>;
  /** Kills the parsing process. Does not close the client. */
  close(): void;
}

/** Requests that are paid for before they are made (D-51). */
interface PaidRequests {
  readonly meter: TrafficMeter;
  /** Reduces the payment to the metered amounts. Never throws. */
  readonly settle: () => Promise<void>;
}

/** Pays for requests. @throws an error that ends the probing if the budget does not cover them */
export type PayRequests = (most: { readonly probes: number; readonly bytes: number }) => Promise<PaidRequests>;

interface ProbeOptions {
  readonly signal?: AbortSignal;
  /** Pays for the first reads of all media together, then for each further read. Without it, reads are free. */
  readonly pay?: PayRequests;
  /** Limits how many of the owner's media are probed at a time. Without it, there is no limit. */
  readonly ownerId?: string;
}

/** Options for a {@link Prober}. */
export interface ProberOptions {
  readonly client: GuardedClient;
  readonly inspector?: Inspector;
  /** Total time for all media in a payload, in ms (D-24); default 3 s. */
  readonly budgetMs?: number;
}

/** State shared by the probes of one call. */
interface Call extends Pick<ProbeOptions, 'pay' | 'ownerId'> {
  readonly signal: AbortSignal;
  /** The payment for the first reads of all media. */
  readonly heads: PaidRequests | undefined;
}

/** Reason for aborting probes when a call ends. Shared, because capturing a stack for each call is slow. */
const OVER = new Error('the media have been probed');

/** Maximum number of media read concurrently beyond their first 64 KB; each may need 4 MB of memory. */
const DEEP_PROBES = 32;
/**
 * Maximum number of one owner's media probed at a time; more than one post can have. Keeps one owner from filling the
 * slots for further reads and the queue of the parsing process (ADR-132).
 */
const PROBES_PER_OWNER = 16;

export const createProber = ({ client, inspector = new Inspector(), budgetMs = 3_000 }: ProberOptions): Prober => {
  const slots = new Semaphore(DEEP_PROBES);
  const owners = new KeyedSemaphore(PROBES_PER_OWNER);

  /** @param over resolves when the time is up; the facts known by then are reported */
  const probe = (
    medium: Media,
    path: string,
    { signal, pay, heads, ownerId }: Call,
    over: Promise<void>,
  ): Promise<ProbeReport> => {
    let refusal: unknown;
    const read: ReadRange = async (range) => {
      const isFirst = range.offset === 0;
      const paid = isFirst
        ? heads
        : await pay?.({ probes: 1, bytes: mostBytesOf(range) }).catch((error: unknown) => {
            throw (refusal = error);
          });
      try {
        return await readRange(client, medium.url, range, { timeoutMs: budgetMs, signal, meter: paid?.meter });
      } finally {
        if (!isFirst) await paid?.settle();
      }
    };
    let known: Examination | undefined;
    const soFar = (why: string, isHostUnknown = false): ProbeReport =>
      known
        ? reportOf(medium, path, known)
        : { ...inconclusive(medium, path, why), ...(isHostUnknown && { isHostUnknown }) };
    const look = async (): Promise<ProbeReport> => {
      let release: (() => void) | undefined;
      try {
        if (ownerId !== undefined) release = await owners.acquire(ownerId, signal);
        for await (known of examine(read, inspector, { slots, signal, owner: ownerId }))
          if (findMediaProblem(medium.type, known)) break;
        return soFar(PROBE_NOTES.unreadable);
      } catch (error) {
        if (refusal !== undefined) throw error;
        if (!(error instanceof FetchError)) return soFar(error instanceof Error ? error.message : String(error));
        return error.isPermanent ? refused(medium, path, error) : soFar(error.message, error.isHostUnknown);
      } finally {
        release?.();
      }
    };
    return Promise.race([look(), over.then(() => soFar(PROBE_NOTES.outOfTime({ ms: budgetMs })))]);
  };

  return {
    async probeAll(media, { signal, pay, ownerId } = {}) {
      const open = media.filter((medium) => !isReport(medium)).length;
      const heads = open > 0 ? await pay?.({ probes: open, bytes: open * HEAD_BYTES }) : undefined;
      const budget = new AbortController();
      setMaxListeners(0, budget.signal); // a few listeners per file, not a leak
      const stop = (): void => budget.abort(OVER);
      const timer = setTimeout(stop, budgetMs);
      if (signal?.aborted) stop();
      signal?.addEventListener('abort', stop, { once: true });
      const over = new Promise<void>((resolve) => {
        if (budget.signal.aborted) resolve();
        budget.signal.addEventListener('abort', () => resolve(), { once: true });
      });
      try {
        return await Promise.all(
          media.map((medium, i) =>
            isReport(medium)
              ? Promise.resolve(medium)
              : probe(medium, `media[${i}].url`, { signal: budget.signal, pay, heads, ownerId }, over),
          ),
        );
      } finally {
        clearTimeout(timer);
        signal?.removeEventListener('abort', stop);
        stop();
        await heads?.settle();
      }
    },
    close: () => inspector.close(),
  };
};

/** True for a file that needs no probe, because it is known. */
export const isReport = (medium: Media | ProbeReport): medium is ProbeReport => 'ok' in medium;

/** Returns all definite problems with media. A problem with the total size has the path `media`. */
export const findMediaProblems = (reports: readonly ProbeReport[]): readonly Problem[] => {
  const problems = reports.flatMap(({ problem }) => problem ?? []);
  const sum = findSumProblem(reports);
  return sum ? [...problems, { path: 'media', code: sum.code, message: aboutField('media', sum.predicate) }] : problems;
};

const reportOf = (medium: Media, path: string, examination: Examination): ProbeReport => {
  const facts = factsOf(examination);
  const problem = findMediaProblem(medium.type, examination);
  if (problem) return { ...medium, ...facts, ...wrong(path, problem.code, problem.predicate) };
  const open = findUnknown(medium, facts, examination.isComplete);
  if (open !== undefined) return { ...inconclusive(medium, path, open), ...facts };
  return { ...medium, ...facts, ok: true, inconclusive: false };
};

/** Returns a note about a missing fact that the checks need. */
const findUnknown = ({ type }: Media, facts: MediaFacts, isComplete: boolean): string | undefined => {
  if (facts.mime === null) return PROBE_NOTES.unreadable;
  if (facts.sizeBytes === null) return PROBE_NOTES.unknownSize;
  if (type === 'photo' && facts.width === undefined) return PROBE_NOTES.unknownDimensions;
  return isComplete ? undefined : PROBE_NOTES.unknownDuration;
};

/** Returns the report for a file that cannot be fetched, even by retrying. */
const refused = (medium: Media, path: string, { code, message }: FetchError): ProbeReport => ({
  ...medium,
  sizeBytes: null,
  mime: null,
  ...wrong(path, code === 'private_address' ? code : `media_${code}`, message),
});

const wrong = (path: string, code: string, predicate: string) => ({
  ok: false,
  inconclusive: false,
  problem: { path, code, message: aboutField(path, predicate) },
});

const inconclusive = (medium: Media, path: string, why: string): ProbeReport => ({
  ...medium,
  sizeBytes: null,
  mime: null,
  ok: true,
  inconclusive: true,
  note: aboutField(path, why),
});
