import { useState } from 'react';
import type { FormattedText } from '../../editor/marks.js';
import type { Draft } from './draft.js';
import { showField, splitOverride } from './fields.js';
import { ALL } from './text-versions.js';

/** Which text the editor shows: the common text or one network's own, with the functions that switch between them. */
export interface Versions {
  /** True once the user has asked for separate text per network, or a network has its own text. */
  readonly isShown: boolean;
  /** A network, or {@link ALL}. */
  readonly shown: string;
  readonly open: () => void;
  readonly show: (version: string) => void;
  /** Returns the payload path of a field, for the text that is shown. */
  readonly path: (field: string) => string;
  /** Switches to the text that has a problem, and focuses the field. */
  readonly showField: (path: string) => void;
}

/** Keeps track of which text the editor shows. */
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
      // The editor for that text is not rendered until the next frame.
      requestAnimationFrame(() => showField(path));
    },
  };
};

/** Returns the change to the draft that sets the common text, or the text of one network. */
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
