import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { NewEvent, StoredEvent } from '../../src/event-store/port.js';

const FOLDER = new URL('./golden/', import.meta.url);

/** The position of a golden event in its stream: it is the only one. */
export const goldenPlace = (type: string) => ({ stream: `golden-${type}`, revision: 0n, previousHash: '' });

/** Lists the names of the existing golden files. */
export const goldenNames = (): string[] => readdirSync(FOLDER).sort();

export const goldenName = (type: string, version: number): string => `${type}.v${version}.json`;

/** Encodes a stored event as its file: `data` and `metadata` are text, because their bytes must never change. */
export const goldenText = ({ id, type, data, metadata }: NewEvent): string => {
  const { stream, revision } = goldenPlace(type);
  return `${JSON.stringify({ stream, revision: Number(revision), id, type, data, metadata }, null, 2)}\n`;
};

/** Reads a golden file. */
export const readGolden = (name: string): string => readFileSync(new URL(name, FOLDER), 'utf8');

/** Parses the event of a golden file, as a store would return it. */
export const parseGolden = (text: string): StoredEvent => {
  const { revision, ...rest } = JSON.parse(text) as Omit<StoredEvent, 'revision' | 'position'> & { revision: number };
  return { ...rest, revision: BigInt(revision), position: 1n };
};

/** Writes a golden file that does not exist yet; an existing one is never changed. */
export const writeIfMissing = (name: string, text: string): void => {
  if (!existsSync(new URL(name, FOLDER))) writeFileSync(new URL(name, FOLDER), text, { flag: 'wx' });
};
