import { TILE_WIDTH } from './merkle.js';

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
