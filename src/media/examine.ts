import type { Semaphore } from '../runtime/semaphore.js';
import type { Inspector } from './inspector.js';
import type { Inspection } from './inspector-program.js';
import type { FilePart, Range, RangeRead } from './read-range.js';

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
  }: { readonly slots?: Semaphore; readonly signal?: AbortSignal; readonly owner?: string | undefined } = {},
): AsyncGenerator<Examination, void, void> {
  const { sizeBytes, ...head } = await read({ offset: 0, length: HEAD_BYTES });
  // If a host sends less than requested, everything stays unknown.
  if (head.bytes.length < Math.min(HEAD_BYTES, sizeBytes ?? 1) || head.bytes.length === 0)
    return yield { sizeBytes, inspection: null, isComplete: false };
  let inspection = await inspector.inspect({ sizeBytes, parts: [head] }, signal, owner);
  yield { sizeBytes, inspection, isComplete: inspection?.needs === undefined };
  if (inspection?.needs === undefined) return;

  const release = await slots?.acquire(signal);
  try {
    const parts: FilePart[] = [head];
    let total = head.bytes.length;
    for (const wanted of NEXT_BYTES) {
      if (inspection?.needs === undefined) return;
      const limit = inspection.hasVideo === undefined ? MAX_IMAGE_BYTES : MAX_VIDEO_BYTES;
      const length = Math.min(wanted, limit - total);
      if (length <= 0) return;
      const part = await read({ offset: inspection.needs, length });
      if (part.bytes.length === 0) return;
      parts.push(part);
      total += part.bytes.length;
      inspection = await inspector.inspect({ sizeBytes, parts }, signal, owner);
      yield { sizeBytes, inspection, isComplete: inspection?.needs === undefined };
    }
  } finally {
    release?.();
  }
}
