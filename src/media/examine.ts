import type { Inspection } from './inspector-program.js';
import type { Inspector } from './inspector.js';
import type { FilePart, RangeRead } from './read-range.js';
import type { Slots } from '../runtime/semaphore.js';

const KB = 1_024;

/** Enough to tell a type, and for most files all that is needed (networks.md §7). */
const HEAD_BYTES = 64 * KB;
/** What is read after that, piece by piece. */
const NEXT_BYTES = [256, 256, 512, 1_024, 1_024, 1_024].map((kilobytes) => kilobytes * KB);
/** A picture's size stands in the beginning; behind more metadata than this it is not looked for. */
const MAX_IMAGE_BYTES = 1_024 * KB;
/** A film's index may be long, but begins with what is asked here. */
const MAX_FILM_BYTES = 4_096 * KB;

/** Something that a stretch of a file can be read from: a host, a disk. */
export type ReadStretch = (stretch: { readonly offset: number; readonly length: number }) => Promise<RangeRead>;

/** What a few reads told about a file. */
export interface Examination {
  readonly sizeBytes: number | null;
  /** Null where the file could not be parsed: nothing is certain then. */
  readonly inspection: Inspection | null;
  /** False where more bytes would have told more. */
  readonly isComplete: boolean;
}

/**
 * Finds out what a file is with as few and as small reads as that takes, and with at most 4 MB; tells after each of them
 * what is known so far, which is still so where a later one fails.
 * @param slots for what follows the first read: many files at a time would take much memory.
 * @throws what `read` throws.
 */
export async function* examine(
  read: ReadStretch,
  inspector: Inspector,
  { slots, signal }: { readonly slots?: Slots; readonly signal?: AbortSignal } = {},
): AsyncGenerator<Examination, void, void> {
  const { sizeBytes, ...head } = await read({ offset: 0, length: HEAD_BYTES });
  // A host that sends less than it has, or nothing at all, leaves everything open.
  if (head.bytes.length < Math.min(HEAD_BYTES, sizeBytes ?? 1) || head.bytes.length === 0)
    return yield { sizeBytes, inspection: null, isComplete: false };
  let inspection = await inspector.inspect({ sizeBytes, parts: [head] }, signal);
  yield { sizeBytes, inspection, isComplete: inspection?.needs === undefined };
  if (inspection?.needs === undefined) return;

  const giveBack = await slots?.take();
  try {
    const parts: FilePart[] = [head];
    let total = head.bytes.length;
    for (const wanted of NEXT_BYTES) {
      if (inspection?.needs === undefined) return;
      const limit = inspection.hasVideo === undefined ? MAX_IMAGE_BYTES : MAX_FILM_BYTES;
      const length = Math.min(wanted, limit - total);
      if (length <= 0) return;
      const part = await read({ offset: inspection.needs, length });
      if (part.bytes.length === 0) return;
      parts.push(part);
      total += part.bytes.length;
      inspection = await inspector.inspect({ sizeBytes, parts }, signal);
      yield { sizeBytes, inspection, isComplete: inspection?.needs === undefined };
    }
  } finally {
    giveBack?.();
  }
}
