import type { EventCodec } from '../../event-store/codec.js';
import type { StoredEvent } from '../../event-store/port.js';
import { TILE_WIDTH } from './merkle.js';

/** An entry of the log: one event. */
export interface LogEntry {
  readonly stream: string;
  readonly revision: bigint;
  /** The event's chained hash, hex. */
  readonly hash: string;
}

const LENGTH_BYTES = 2;

/** Serialises an entry to the bytes that the tree covers. They contain the hash of the event, not its content. */
export const serializeEntry = ({ stream, revision, hash }: LogEntry): Buffer =>
  Buffer.from(`${stream}\n${revision}\n${hash}\n`);

/** Serialises the entry of an event. */
export const serializeEntryOf = (codec: EventCodec, event: StoredEvent): Buffer =>
  serializeEntry({ ...event, hash: codec.readEnvelope(event).hash });

/** Parses an entry. Returns null for bytes that are not an entry. */
export const parseEntry = (bytes: Buffer): LogEntry | null => {
  const form = /^(.+)\n(\d+)\n([0-9a-f]{64})\n$/s.exec(bytes.toString());
  return form && { stream: form[1]!, revision: BigInt(form[2]!), hash: form[3]! };
};

/** Serialises entries as a bundle, each preceded by its length (C2SP tlog-tiles). */
export const serializeBundle = (entries: readonly Buffer[]): Buffer =>
  Buffer.concat(
    entries.flatMap((entry) => {
      const length = Buffer.alloc(LENGTH_BYTES);
      length.writeUInt16BE(entry.length);
      return [length, entry];
    }),
  );

/** Splits a bundle into its entries. A length beyond the end yields a shorter last entry. */
export const parseBundle = (bundle: Buffer): readonly Buffer[] => {
  const entries: Buffer[] = [];
  for (let at = 0; at + LENGTH_BYTES <= bundle.length;) {
    const end = at + LENGTH_BYTES + bundle.readUInt16BE(at);
    entries.push(bundle.subarray(at + LENGTH_BYTES, end));
    at = end;
  }
  return entries;
};

/** The tile or bundle that a path refers to. */
export interface TilePath {
  readonly level: number | 'entries';
  readonly number: number;
  /** Number of hashes or entries, 1 to 256. */
  readonly width: number;
}

const FORM = /^(entries|0|[1-9]|[1-5]\d|6[0-3])\/((?:x\d{3}\/){0,4}\d{3})(?:\.p\/([1-9]\d{0,2}))?$/;

/**
 * Parses the part of a path after `tile/` (C2SP tlog-tiles), such as `0/x001/x234/067.p/8`. Returns null for other
 * text.
 */
export const parseTilePath = (path: string): TilePath | null => {
  const form = FORM.exec(path);
  if (!form) return null;
  const [, level, groups, partial] = form;
  const width = partial === undefined ? TILE_WIDTH : Number(partial);
  if (partial !== undefined && width >= TILE_WIDTH) return null;
  if (/^x000/.test(groups!)) return null;
  const number = Number(groups!.replace(/[x/]/g, ''));
  return { level: level === 'entries' ? level : Number(level), number, width };
};
