import { useCallback, useEffect, useState } from 'react';
import { chooseTimeOn } from '../../planning/choose-time.js';
import { browserZone } from '../../time/local-time.js';
import { serverNow } from '../../time/server-clock.js';
import { createDraft, type Draft } from './draft.js';

/** Version of the storage format; drafts in other versions are ignored. */
const VERSION = 1;

/** Time of day for a post that was given only a day. */
const MORNING = '09:00';

/** Reads a draft stored in this tab. Parts that older drafts lack are taken from an empty one. */
const readDraft = (storageKey: string): Draft | null => {
  try {
    const stored = JSON.parse(sessionStorage.getItem(storageKey) ?? 'null') as { version: number; draft: Draft } | null;
    return stored?.version === VERSION ? { ...createDraft(), ...stored.draft } : null;
  } catch {
    return null; // another program's value
  }
};

/** A draft, and the functions that change it. */
export interface DraftState {
  readonly draft: Draft;
  /** True if it differs from the post that is being changed; always true for a new post. */
  readonly isChanged: boolean;
  readonly update: (change: Partial<Draft>) => void;
  /** Starts an empty draft, with its own key, for the same endpoint. */
  readonly clear: () => void;
}

/** Endpoint, day or post that Compose was opened for. */
export interface Wanted {
  /** Id of an endpoint. */
  readonly endpoint?: string | undefined;
  /** A day to plan a post for, and a time of that day. */
  readonly day?: string | undefined;
  readonly time?: string | undefined;
  /** The draft of a planned post to change. */
  readonly edited?: { readonly id: string; readonly draft: Draft; readonly isPending: boolean } | undefined;
}

/**
 * Returns the draft of a scope, or of a post that is being changed. It stays in this tab until it is published or
 * cleared.
 */
export const useDraft = (scopeKey: string, { endpoint, day, time, edited }: Wanted): DraftState => {
  const storageKey = edited ? `crosspost.draft.${edited.id}` : `crosspost.draft.${scopeKey}`;
  // Null to start from the current state of the post that is being changed.
  const [changed, setChanged] = useState<Draft | null>(() => {
    const stored = readDraft(storageKey);
    if (edited) return stored;
    const begun = stored ?? createDraft();
    const wanted = time ?? begun.when?.time ?? MORNING;
    const planned =
      day === undefined ? begun : { ...begun, when: chooseTimeOn(day, wanted, browserZone(), serverNow()) };
    if (endpoint === undefined || endpoint === begun.endpointId) return planned;
    return { ...planned, endpointId: endpoint, leftOut: [] };
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
    setChanged((current) => (isEdit ? null : createDraft(current?.endpointId)));
  }, [storageKey, isEdit]);
  return { draft, isChanged: changed !== null, update, clear };
};
