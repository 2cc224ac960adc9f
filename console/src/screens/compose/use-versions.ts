import { useState } from 'react';
import type { FormattedText } from '../../editor/marks.js';
import type { Draft } from './draft.js';
import { showField, splitOverride } from './fields.js';
import { ALL } from './text-versions.js';

/** The text that the editor shows: the text for all networks, or for one. */
export interface Versions {
  /** False if the post has only one text, so that there is no choice between networks. */
  readonly isShown: boolean;
  /** A network, or {@link ALL}. */
  readonly shown: string;
  readonly open: () => void;
  readonly show: (version: string) => void;
  /** Returns the path of a field of the text that is shown. */
  readonly path: (field: string) => string;
  /** Moves to the field of a problem, in the text that has it. */
  readonly showField: (path: string) => void;
}

/** Returns which text the editor shows. */
export const useVersions = ({ overrides }: Pick<Draft, 'overrides'>, platforms: readonly string[]): Versions => {
  const [isOpen, setIsOpen] = useState(false);
  const [chosen, setChosen] = useState(ALL);
  const isShown = (isOpen && platforms.length > 1) || Object.keys(overrides).length > 0;
  const shown = isShown && platforms.includes(chosen) ? chosen : ALL;
  return {
    isShown,
    shown,
    open: () => setIsOpen(true),
    show: setChosen,
    path: (field) => (shown === ALL || !overrides[shown] ? field : `overrides.${shown}.${field}`),
    showField: (path) => {
      setChosen(splitOverride(path).key ?? ALL);
      // The editor of that text exists after the next rendering.
      requestAnimationFrame(() => showField(path));
    },
  };
};

/** Returns the change that sets a text for all networks, or for one. */
export const withText = (
  { text, overrides }: Pick<Draft, 'text' | 'overrides'>,
  version: string,
  value: FormattedText,
): Partial<Draft> => {
  const shown = overrides[version] ?? text;
  if (JSON.stringify(value) === JSON.stringify(shown)) return {};
  if (version === ALL) return { text: value };
  return { overrides: { ...overrides, [version]: value } };
};
