import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { NewEvent, StoredEvent } from '../../src/event-store/port.js';

const FOLDER = new URL('./golden/', import.meta.url);

/** Where in its stream a golden event stands: alone. */
export const goldenPlace = (type: string) => ({ stream: `golden-${type}`, revision: 0n, previousHash: '' });

/** Names of the golden files that there are. */
export const goldenNames = (): string[] => readdirSync(FOLDER).sort();

export const goldenName = (type: string, version: number): string => `${type}.v${version}.json`;

/** A stored event as its file has it: `data` and `metadata` are text, because their bytes are what must never change. */
export const goldenText = ({ id, type, data, metadata }: NewEvent): string => {
  const { stream, revision } = goldenPlace(type);
  return `${JSON.stringify({ stream, revision: Number(revision), id, type, data, metadata }, null, 2)}\n`;
};

/** The text of a golden file. */
export const readGolden = (name: string): string => readFileSync(new URL(name, FOLDER), 'utf8');

/** The event that a golden file holds, as a store would hand it out. */
export const storedIn = (text: string): StoredEvent => {
  const { revision, ...rest } = JSON.parse(text) as Omit<StoredEvent, 'revision' | 'position'> & { revision: number };
  return { ...rest, revision: BigInt(revision), position: 1n };
};

/** Writes a golden file that is not there yet; one that is there is never touched. */
export const writeIfMissing = (name: string, text: string): void => {
  if (!existsSync(new URL(name, FOLDER))) writeFileSync(new URL(name, FOLDER), text, { flag: 'wx' });
};
