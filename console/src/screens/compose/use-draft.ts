import { useCallback, useEffect, useState } from 'react';
import { createDraft, type Draft } from './draft.js';

/** Version of the stored form: drafts of another are not read. */
const VERSION = 1;

/** Reads the draft of a scope in this tab. */
const readDraft = (storageKey: string): Draft | null => {
  try {
    const stored = JSON.parse(sessionStorage.getItem(storageKey) ?? 'null') as { version: number; draft: Draft } | null;
    return stored?.version === VERSION ? stored.draft : null;
  } catch {
    return null; // another program's value
  }
};

/** A draft and its changes. */
export interface DraftState {
  readonly draft: Draft;
  readonly update: (change: Partial<Draft>) => void;
  /** Starts an empty draft, with a key of its own, for the same endpoint. */
  readonly clear: () => void;
}

/**
 * Returns the draft of a scope, which stays in this tab until it is published or cleared.
 * @param wantedEndpoint the endpoint that the screen was opened for
 */
export const useDraft = (scopeKey: string, wantedEndpoint: string | undefined): DraftState => {
  const storageKey = `crosspost.draft.${scopeKey}`;
  const [draft, setDraft] = useState<Draft>(() => {
    const stored = readDraft(storageKey) ?? createDraft();
    if (wantedEndpoint === undefined || wantedEndpoint === stored.endpointId) return stored;
    return { ...stored, endpointId: wantedEndpoint, leftOut: [] };
  });
  useEffect(() => sessionStorage.setItem(storageKey, JSON.stringify({ version: VERSION, draft })), [storageKey, draft]);
  const update = useCallback((change: Partial<Draft>) => setDraft((current) => ({ ...current, ...change })), []);
  const clear = useCallback(() => setDraft(({ endpointId }) => createDraft(endpointId)), []);
  return { draft, update, clear };
};
