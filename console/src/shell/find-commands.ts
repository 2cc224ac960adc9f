import type { IconName, Tone } from '../components/icon.js';

/** A command in the command palette. */
export interface Command {
  readonly id: string;
  readonly group: string;
  readonly title: string;
  /** Additional search keywords for the command. */
  readonly words?: string;
  readonly icon: IconName;
  readonly tone?: Tone;
  readonly hint?: string;
  /** True if the command is listed even without a search. */
  readonly isUsual?: boolean;
  readonly run: () => void;
}

/** Commands under one heading. */
export interface CommandGroup {
  readonly title: string;
  readonly items: readonly Command[];
}

/** Maximum number of commands under one heading. */
const MAX_ITEMS = 7;

/**
 * Returns the commands that contain every search word, grouped by heading. Commands in which more search words match
 * the start of a word come first.
 */
export const findCommands = (commands: readonly Command[], text: string): readonly CommandGroup[] => {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const found = commands
    .map((command) => ({ command, rank: rankOf(command, words) }))
    .filter(({ rank }) => rank > 0)
    .sort((a, b) => b.rank - a.rank)
    .map(({ command }) => command);
  const groups = new Map<string, Command[]>();
  for (const command of found) {
    const items = groups.get(command.group) ?? [];
    if (items.length < MAX_ITEMS) items.push(command);
    groups.set(command.group, items);
  }
  return [...groups].map(([title, items]) => ({ title, items }));
};

/**
 * Returns 0 if a search word is missing; otherwise a rank that grows with the number of search words that match the
 * start of a word.
 */
const rankOf = ({ title, words = '', group, isUsual = false }: Command, search: readonly string[]): number => {
  if (search.length === 0) return isUsual ? 1 : 0;
  const own = `${title} ${words} ${group}`.toLowerCase();
  if (!search.every((word) => own.includes(word))) return 0;
  return 1 + search.filter((word) => own.startsWith(word) || own.includes(` ${word}`)).length;
};
