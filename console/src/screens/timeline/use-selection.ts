import { useQuery } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { management, queryClient } from '../../api/management.js';
import { isTyping } from '../../components/is-typing.js';
import type { Post } from '../../publications/shown-state.js';
import type { Publication } from '../../publications/states.js';
import { type Scope, useScope } from '../../session/session.js';
import { findOutdated, type Page, type PostList, replaceKnown } from './post-list.js';

/** The post that is selected on the lanes or in the list, and whether its explanation is open. */
export interface Selection {
  readonly postId: string | null;
  /** The selected publication; null for the post's publication in the worst state. */
  readonly publicationId: string | null;
  readonly isOpen: boolean;
  /** The post to scroll to; a new object for each request. */
  readonly reveal: { readonly postId: string; readonly isFocused: boolean } | null;
  /** Opens a post, or closes it if it is open. */
  readonly toggle: (post: Post) => void;
  /** Opens a post with one of its publications selected; scrolls to the post if `isFar`. */
  readonly choose: (post: Post, publication: Publication, isFar?: boolean) => void;
}

interface State {
  readonly postId: string | null;
  readonly publicationId: string | null;
  readonly isOpen: boolean;
}

const NOTHING: State = { postId: null, publicationId: null, isOpen: false };

/** Returns whether an event's target is the page itself rather than an element that handles keys. */
const isOnPage = (target: EventTarget | null): boolean => target instanceof HTMLElement && target.matches('body, main');

/**
 * Manages the selection. `j` and `k` move it. `w` or Enter opens and closes the explanation. Escape closes the
 * explanation or, if it is closed, clears the selection.
 */
export const useSelection = (posts: readonly Post[]): Selection => {
  const [state, setState] = useState<State>(NOTHING);
  const [reveal, setReveal] = useState<Selection['reveal']>(null);

  const toggle = useCallback(
    ({ id }: Post) =>
      setState((old) => ({ postId: id, publicationId: null, isOpen: !(old.isOpen && old.postId === id) })),
    [],
  );
  const choose = useCallback(({ id }: Post, publication: Publication, isFar = false) => {
    setState({ postId: id, publicationId: publication.id, isOpen: true });
    if (isFar) setReveal({ postId: id, isFocused: false });
  }, []);

  const latest = useRef({ posts, state });
  useEffect(() => {
    latest.current = { posts, state };
  });
  useEffect(() => {
    const move = (step: number): void => {
      const { posts: list, state: old } = latest.current;
      const from = list.findIndex(({ id }) => id === old.postId);
      const next = list[Math.min(list.length - 1, Math.max(0, from + step))];
      if (!next) return;
      setState({ postId: next.id, publicationId: null, isOpen: false });
      setReveal({ postId: next.id, isFocused: true });
    };
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.metaKey || event.ctrlKey || event.altKey || isTyping(event.target)) return;
      if (document.querySelector('[role="dialog"], [role="menu"]')) return;
      if (event.key === 'j') move(1);
      if (event.key === 'k') move(-1);
      // The row gets focus in the next frame; from then on, it handles Enter itself.
      const isToggle = event.key === 'w' || (event.key === 'Enter' && isOnPage(event.target));
      if (isToggle) setState((old) => (old.postId === null ? old : { ...old, isOpen: !old.isOpen }));
      if (event.key === 'Escape') setState((old) => (old.isOpen ? { ...old, isOpen: false } : NOTHING));
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, []);

  return useMemo(() => ({ ...state, reveal, toggle, choose }), [state, reveal, toggle, choose]);
};

/** Maximum number of posts to refetch after a change, starting with the newest outdated post. */
const READ_AGAIN = 100;

type UnsettledState = 'planned' | 'queued' | 'in_doubt' | 'failed';

/** Returns the newest 200 posts that have a publication in the given state. */
const useByState = (state: UnsettledState): Page | undefined => {
  const scope = useScope();
  return useQuery({
    queryKey: ['posts', scope.key, 'state', state],
    queryFn: () => management().get('/posts', { query: { ...scope.query, state, limit: 200 } }),
  }).data;
};

/** Posts with planned, waiting, in-doubt or failed publications; undefined while they are loading. */
export type Unsettled = Readonly<Record<'planned' | 'queued' | 'inDoubt' | 'failed', Page | undefined>>;

/**
 * Returns the posts in the scope that are planned, waiting, in doubt or failed: the newest 200 in each state. Also
 * updates the timeline's lists with these posts, because publications change more often than the pages of a list are
 * refetched.
 */
export const useUnsettled = (): Unsettled => {
  const scope = useScope();
  const planned = useByState('planned');
  const queued = useByState('queued');
  const inDoubt = useByState('in_doubt');
  const failed = useByState('failed');

  useEffect(() => {
    if (!planned || !queued || !inDoubt || !failed) return;
    const fresh = { planned, queued, in_doubt: inDoubt, failed };
    const posts = Object.values(fresh).flatMap(({ items }) => items);
    updateLists(scope.key, posts);
    void readOutdated(scope, fresh);
  }, [planned, queued, inDoubt, failed, scope]);

  return useMemo(() => ({ planned, queued, inDoubt, failed }), [planned, queued, inDoubt, failed]);
};

const updateLists = (scopeKey: string, posts: readonly Post[]): void => {
  const fresh = new Map(posts.map((post) => [post.id, post]));
  queryClient.setQueriesData<PostList>({ queryKey: ['timeline', scopeKey] }, (list) => {
    if (!list) return list;
    const replaced = replaceKnown(list.posts, fresh);
    return replaced === list.posts ? list : { ...list, posts: replaced };
  });
};

/**
 * Refetches the newest outdated post and up to 99 older posts. Outdated posts further back have to wait for the next
 * change.
 */
const readOutdated = async (scope: Scope, fresh: Readonly<Record<UnsettledState, Page>>): Promise<void> => {
  const lists = queryClient.getQueriesData<PostList>({ queryKey: ['timeline', scope.key] });
  const shown = new Map(lists.flatMap(([, list]) => (list?.posts ?? []).map((post) => [post.id, post] as const)));
  const newest = shown.get(
    findOutdated([...shown.values()], fresh)
      .toSorted()
      .at(-1) ?? '',
  );
  if (!newest) return;
  const until = new Date(Date.parse(newest.accepted_at) + 1).toISOString();
  const page = await management()
    .get('/posts', { query: { ...scope.query, until, limit: READ_AGAIN } })
    .catch(() => null); // The next change triggers another request.
  if (page) updateLists(scope.key, page.items);
};
