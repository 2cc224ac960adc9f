import { useCallback, useEffect, useState } from 'react';
import type { FormattedText } from '../../editor/formatted-text.js';
import { chooseTimeOn } from '../../planning/choose-time.js';
import { browserZone } from '../../time/local-time.js';
import { serverNow } from '../../time/server-clock.js';
import { createDraft, type Draft } from './draft.js';
import { showField, splitOverride } from './problem-list.js';
import { ALL } from './text-versions.js';

/** Version of the storage format; drafts in other versions are ignored. */
const VERSION = 1;

/** Time of day to use if only a day is given. */
const MORNING = '09:00';

/** Reads a draft stored in this tab. Fills in properties that older drafts lack. */
const readDraft = (storageKey: string): Draft | null => {
  try {
    const stored = JSON.parse(sessionStorage.getItem(storageKey) ?? 'null') as { version: number; draft: Draft } | null;
    return stored?.version === VERSION ? { ...createDraft(), ...stored.draft } : null;
  } catch {
    return null; // not JSON, so not a draft
  }
};

/** Stores a draft in this tab, so that Compose shows it. */
export const keepDraft = (scopeKey: string, draft: Draft): void =>
  sessionStorage.setItem(`crosspost.draft.${scopeKey}`, JSON.stringify({ version: VERSION, draft }));

/** A draft, and the functions that change it. */
export interface DraftState {
  readonly draft: Draft;
  /** True if a planned post has unsaved edits; always true for a new post. */
  readonly isChanged: boolean;
  readonly update: (change: Partial<Draft>) => void;
  /** Starts an empty draft, with its own key, for the same channel set or endpoint. */
  readonly clear: () => void;
}

/** The endpoint, day or planned post that Compose was opened for. */
export interface Wanted {
  /** Id of an endpoint. */
  readonly endpoint?: string | undefined;
  /** The day to plan a post for, and the time on that day. */
  readonly day?: string | undefined;
  readonly time?: string | undefined;
  /** The planned post to edit, as a draft. */
  readonly edited?: { readonly id: string; readonly draft: Draft; readonly isPending: boolean } | undefined;
}

/**
 * Returns the draft for a scope, or for a planned post that is being edited. The tab keeps the draft until it is
 * published or cleared.
 */
export const useDraft = (scopeKey: string, { endpoint, day, time, edited }: Wanted): DraftState => {
  const storageKey = edited ? `crosspost.draft.${edited.id}` : `crosspost.draft.${scopeKey}`;
  // Null while a planned post is unedited, so that the draft follows the post's current state.
  const [changed, setChanged] = useState<Draft | null>(() => {
    const stored = readDraft(storageKey);
    if (edited) return stored;
    const begun = stored ?? createDraft();
    const wanted = time ?? begun.when?.time ?? MORNING;
    const planned =
      day === undefined ? begun : { ...begun, when: chooseTimeOn(day, wanted, browserZone(), serverNow()) };
    if (endpoint === undefined || endpoint === begun.endpointId) return planned;
    return { ...planned, endpointId: endpoint, setId: null, leftOut: [] };
  });
  const draft = changed ?? edited?.draft ?? createDraft();
  useEffect(() => {
    if (changed === null) sessionStorage.removeItem(storageKey);
    else sessionStorage.setItem(storageKey, JSON.stringify({ version: VERSION, draft: changed }));
  }, [storageKey, changed]);
  const original = edited?.draft;
  const update = useCallback(
    (change: Partial<Draft>) => {
      if (Object.keys(change).length === 0) return;
      setChanged((current) => ({ ...(current ?? original ?? createDraft()), ...change }));
    },
    [original],
  );
  const isEdit = original !== undefined;
  const clear = useCallback(() => {
    sessionStorage.removeItem(storageKey);
    setChanged((current) => (isEdit ? null : { ...createDraft(current?.endpointId), setId: current?.setId ?? null }));
  }, [storageKey, isEdit]);
  return { draft, isChanged: changed !== null, update, clear };
};

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
