import { useQuery } from '@tanstack/react-query';
import { useCallback, useEffect, useRef, useState } from 'react';
import { type Api, GatewayError, management, queryClient } from '../../api/management.js';
import { useScope } from '../../session/session.js';
import { createDraft, type Draft, isEmpty } from './draft.js';

/** How long the user must have stopped writing before the draft is saved, and how long until a failed save is repeated, in ms. */
const PAUSE_MS = 800;
const RETRY_MS = 10_000;
const TITLE_LENGTH = 120;

/** The parts of a draft that the gateway keeps. */
const contentOf = ({ saved: _, ...content }: Draft) => content;

/** Returns a short value that tells two contents apart. */
const markOf = (draft: Draft): string => {
  let hash = 5381;
  const text = JSON.stringify(contentOf(draft));
  for (let at = 0; at < text.length; at++) hash = (hash * 33 + text.charCodeAt(at)) | 0;
  return `${text.length}-${hash}`;
};

/** Returns what a list of drafts shows. */
const titleOf = ({ text, overrides }: Draft): string | null => {
  const written = [text, ...Object.values(overrides)].map((each) => each.text.trim()).find(Boolean) ?? '';
  const line = written
    .replace(/\s+/g, ' ')
    .slice(0, TITLE_LENGTH)
    .replace(/[\ud800-\udbff]$/, '')
    .trim();
  return /[\p{L}\p{N}\p{P}\p{S}]/u.test(line) ? line : null;
};

const bodyOf = (draft: Draft) => {
  const title = titleOf(draft);
  return {
    ...(draft.endpointId !== null && draft.endpointId !== '' && { endpoint_id: draft.endpointId }),
    ...(title !== null && { title }),
    content: contentOf(draft) as unknown as Record<string, never>,
  };
};

const statusOf = (error: unknown): number => (error instanceof GatewayError ? error.status : -1);

/** Reads a draft that the gateway keeps. @throws GatewayError */
export const readDraft = async (id: string): Promise<Draft> => {
  const { content, revision } = await management().get('/drafts/{id}', { path: { id } });
  const draft: Draft = { ...createDraft(), ...(content as unknown as Partial<Draft>), saved: null };
  return { ...draft, saved: { id, revision, mark: markOf(draft) } };
};

const refreshList = (): void => void queryClient.invalidateQueries({ queryKey: ['drafts'] });

/** Deletes a draft from the gateway; one that is gone already is no failure. */
export const removeDraft = async (id: string): Promise<void> => {
  await management()
    .delete('/drafts/{id}', { path: { id } })
    .catch((error: unknown) => {
      if (statusOf(error) !== 404) throw error;
    });
  refreshList();
};

/** Returns the drafts that the gateway keeps, the last changed first. */
export const useDrafts = () => {
  const scope = useScope();
  return useQuery({
    queryKey: ['drafts', scope.key],
    queryFn: async () => {
      const { items } = await management().get('/drafts', { query: { ...scope.query, limit: 200 } });
      return items.toSorted((a, b) => (a.updated_at < b.updated_at ? 1 : -1));
    },
    staleTime: 10_000,
    refetchOnWindowFocus: true,
  });
};

/** Someone else changed the draft (`theirs`), or it is gone (null). */
export interface DraftConflict {
  readonly theirs: Api<'Draft'> | null;
}

/** How the gateway keeps the draft that is being written. */
export interface SavedDraft {
  /** `local`: only this tab keeps it. */
  readonly state: 'none' | 'saving' | 'saved' | 'failed' | 'local';
  readonly conflict: DraftConflict | null;
  /** Writes over the other person's version, or keeps a draft that is gone as a new one. */
  readonly keepMine: () => void;
  readonly takeTheirs: () => Promise<void>;
  /** Saves at once. */
  readonly flush: () => Promise<void>;
  /** Forgets what is under way, before another draft takes the place of this one. */
  readonly leave: () => void;
}

/**
 * Saves a draft whenever the user stops writing. `update` must replace the draft that is shown.
 * @param ownerId owner of a new draft, for the operator; null for owners
 */
export const useSavedDraft = (
  draft: Draft,
  update: (change: Partial<Draft>) => void,
  ownerId: string | null,
  isActive: boolean,
): SavedDraft => {
  const [conflict, setConflict] = useState<DraftConflict | null>(null);
  const [state, setState] = useState<SavedDraft['state']>(draft.saved ? 'saved' : 'none');
  const latest = useRef(draft);
  const generation = useRef(0);
  const underWay = useRef<Promise<void> | null>(null);
  useEffect(() => {
    latest.current = draft;
  });
  const mark = markOf(draft);
  const isClean = draft.saved?.mark === mark || (draft.saved === null && isEmpty(draft));

  const saveOnce = useCallback(async (): Promise<void> => {
    const current = latest.current;
    const { saved } = current;
    const now = markOf(current);
    if (saved?.mark === now || (saved === null && isEmpty(current))) return;
    const began = generation.current;
    setState('saving');
    try {
      if (saved === null) {
        const body = { ...bodyOf(current), ...(ownerId !== null && { owner_id: ownerId }) };
        const { id, revision } = await management().post('/drafts', { body });
        // Published or cleared in the meantime.
        if (generation.current !== began) return await removeDraft(id);
        update({ saved: { id, revision, mark: now } });
        latest.current = { ...latest.current, saved: { id, revision, mark: now } };
      } else if (isEmpty(current)) {
        await removeDraft(saved.id);
        if (generation.current === began) update({ saved: null });
        latest.current = { ...latest.current, saved: null };
      } else {
        const options = { path: { id: saved.id }, body: bodyOf(current), ifRevision: saved.revision };
        const { revision } = await management().put('/drafts/{id}', options);
        if (generation.current !== began) return;
        update({ saved: { ...saved, revision, mark: now } });
        latest.current = { ...latest.current, saved: { ...saved, revision, mark: now } };
      }
      setState('saved');
      refreshList();
    } catch (error) {
      if (generation.current !== began) return;
      setState('failed');
      const status = statusOf(error);
      if (status === 404) setConflict({ theirs: null });
      if (status === 412 && saved)
        setConflict({
          theirs: await management()
            .get('/drafts/{id}', { path: { id: saved.id } })
            .catch(() => null),
        });
    }
  }, [ownerId, update]);

  const flush = useCallback(async (): Promise<void> => {
    while (underWay.current) await underWay.current;
    underWay.current = saveOnce().finally(() => (underWay.current = null));
    await underWay.current;
  }, [saveOnce]);

  const isDue = isActive && !isClean && conflict === null;
  useEffect(() => {
    if (!isDue) return;
    const timer = setTimeout(() => void flush(), state === 'failed' ? RETRY_MS : PAUSE_MS);
    const onHide = (): void => void (document.visibilityState === 'hidden' && flush());
    document.addEventListener('visibilitychange', onHide);
    return () => {
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', onHide);
    };
  }, [isDue, mark, state, flush]);

  // Someone may have changed the draft since this tab last saw it.
  const keptId = isActive ? draft.saved?.id : undefined;
  useEffect(() => {
    if (keptId === undefined) return;
    const check = async (): Promise<void> => {
      if (document.visibilityState === 'hidden' || underWay.current) return;
      const before = latest.current;
      try {
        const theirs = await management().get('/drafts/{id}', { path: { id: keptId } });
        const { saved } = latest.current;
        if (latest.current !== before || saved?.id !== keptId || theirs.revision <= saved.revision) return;
        if (saved.mark === markOf(latest.current)) update(await readDraft(keptId));
        else setConflict({ theirs });
      } catch (error) {
        if (statusOf(error) === 404 && latest.current.saved?.id === keptId) setConflict({ theirs: null });
      }
    };
    void check();
    const run = (): void => void check();
    document.addEventListener('visibilitychange', run);
    window.addEventListener('focus', run);
    return () => {
      document.removeEventListener('visibilitychange', run);
      window.removeEventListener('focus', run);
    };
  }, [keptId, update]);

  const leave = useCallback(() => {
    generation.current++;
    setConflict(null);
    setState('none');
  }, []);

  const stateOf = (): SavedDraft['state'] => {
    if (conflict !== null || (!isClean && state === 'failed')) return 'failed';
    if (!isClean) return 'saving';
    return draft.saved ? 'saved' : 'none';
  };
  return {
    state: isActive ? stateOf() : 'local',
    conflict,
    keepMine: () => {
      const saved =
        conflict?.theirs && draft.saved ? { ...draft.saved, revision: conflict.theirs.revision, mark: '' } : null;
      update({ saved });
      setConflict(null);
    },
    takeTheirs: async () => {
      if (!draft.saved) return;
      update(await readDraft(draft.saved.id));
      setConflict(null);
    },
    flush,
    leave,
  };
};
