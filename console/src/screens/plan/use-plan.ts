import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import { management } from '../../api/management.js';
import { readPages } from '../../api/things.js';
import { isTyping } from '../../components/is-typing.js';
import { toastError } from '../../components/toasts.js';
import type { ChosenTime } from '../../planning/choose-time.js';
import { isPlanned, needsApproval, networksOf } from '../../planning/planned-posts.js';
import { useMove } from '../../planning/use-move.js';
import type { Post } from '../../publications/shown-state.js';
import { useScope } from '../../session/session.js';
import { browserZone, type Day, toLocal } from '../../time/local-time.js';
import { serverNow } from '../../time/server-clock.js';
import { type Period, readDrop, timeOf, timeOfDrop } from './calendar.js';
import { planMessages as m } from './messages.js';

/** Maximum number of pages of posts that the calendar loads. */
const MAX_PAGES = 5;

/** The posts of a period, earliest first. */
export interface Calendar {
  readonly posts: readonly Post[];
  /** Posts were loaded up to this time, in ms since 1970; null if all posts of the period were loaded. */
  readonly shownUntil: number | null;
  /** Posts published right away were loaded back to this time, in ms since 1970; null if all of them were loaded. */
  readonly shownSince: number | null;
}

/** Which posts the calendar shows. Absent members match all. */
export interface PlanFilter {
  readonly project?: string | undefined;
  readonly platform?: string | undefined;
}

/**
 * Returns the query for the posts of a period: those planned for it, and those published right away. Posts that were
 * cancelled or rejected before their release are omitted.
 */
export const useCalendar = ({ from, to }: Period, { project, platform }: PlanFilter) => {
  const scope = useScope();
  const calendar = useQuery({
    queryKey: ['posts', scope.key, 'calendar', from, to, project],
    queryFn: async (): Promise<Calendar> => {
      const query = {
        ...scope.query,
        since: new Date(from).toISOString(),
        until: new Date(to).toISOString(),
        ...(project !== undefined && { project_id: project }),
      };
      // The gateway lists posts either by the time that they are planned for or by the time when they were accepted.
      const read = (order: { readonly order?: 'publish_at' }) =>
        readPages((page) => management().get('/posts', { query: { ...query, ...order, ...page } }), MAX_PAGES);
      const [{ items: posts, isMore }, { items: others, isMore: isMoreAccepted }] = await Promise.all([
        read({ order: 'publish_at' }),
        from < serverNow() ? read({}) : { items: [], isMore: false },
      ]);
      const last = posts.at(-1)?.publish_at;
      const shown = [...posts, ...others.filter(({ publish_at: at }) => at === null)]
        .filter((post) => isPlanned(post) || post.released_at !== null)
        .sort((a, b) => timeOf(a) - timeOf(b));
      const oldest = others.at(-1)?.accepted_at;
      return {
        posts: shown,
        shownUntil: isMore && last ? Date.parse(last) : null,
        shownSince: isMoreAccepted && oldest !== undefined ? Date.parse(oldest) : null,
      };
    },
    placeholderData: keepPreviousData,
  });
  const { data } = calendar;
  const filtered = useMemo(() => {
    if (!data || platform === undefined) return data;
    return { ...data, posts: data.posts.filter((post) => networksOf(post).includes(platform)) };
  }, [data, platform]);
  return { ...calendar, data: filtered };
};

/** Returns the query for the first post planned after a time; its result is null if there is none. */
export const useNextPlanned = (after: number) => {
  const scope = useScope();
  return useQuery({
    queryKey: ['posts', scope.key, 'next', after],
    queryFn: async (): Promise<Post | null> => {
      const since = new Date(after).toISOString();
      const query = { ...scope.query, since, state: 'planned' as const, order: 'publish_at' as const, limit: 1 };
      return (await management().get('/posts', { query })).items[0] ?? null;
    },
  });
};

/**
 * Returns the query for posts that are waiting for approval: posts with a time first, earliest first, then posts
 * without one.
 */
export const usePending = () => {
  const scope = useScope();
  return useQuery({
    queryKey: ['posts', scope.key, 'pending'],
    queryFn: async (): Promise<{ readonly posts: readonly Post[]; readonly isMore: boolean }> => {
      const query = { ...scope.query, approval: 'pending' as const, order: 'publish_at' as const, limit: 200 };
      const { items, next } = await management().get('/posts', { query });
      return { posts: items.filter(needsApproval), isMore: next !== null };
    },
  });
};

/** A post that is being given a new time in the dialog. */
export interface Asked {
  readonly post: Post;
  /** Day and time of the cell that the post was dropped on; absent if a button opened the dialog. */
  readonly wanted?: ChosenTime;
}

/** State and functions for moving posts in the calendar, by dragging or through a dialog. */
export interface PlanDrag {
  /** True while a post is being dragged. */
  readonly isDragging: boolean;
  /** The post that is being moved, and its new time in ms since 1970; null if no post is being moved. */
  readonly moving: { readonly id: string; readonly at: number } | null;
  readonly asked: Asked | null;
  readonly start: (post: Post) => void;
  readonly end: () => void;
  /**
   * Returns the time of day that the dragged post would get if it were dropped on an hour, or on a day as a whole
   * (null).
   */
  readonly timeOn: (hour: number | null) => string;
  /** Drops the post on an hour of a day, or on the day as a whole (null). */
  readonly drop: (day: Day, hour: number | null) => void;
  /** Opens the dialog for a post; closes it if null. */
  readonly ask: (post: Post | null) => void;
}

/** Keeps track of the post that is being dragged or moved in the calendar. */
export const usePlanDrag = (): PlanDrag => {
  const move = useMove();
  const [dragged, setDragged] = useState<Post | null>(null);
  const [moving, setMoving] = useState<PlanDrag['moving']>(null);
  const [asked, setAsked] = useState<Asked | null>(null);
  const timeOn = (hour: number | null): string =>
    dragged?.publish_at ? timeOfDrop(toLocal(Date.parse(dragged.publish_at), browserZone()).time, hour) : '';
  const drop = (day: Day, hour: number | null): void => {
    const post = dragged;
    setDragged(null);
    if (!post || post.publish_at === null) return;
    const found = readDrop(Date.parse(post.publish_at), day, hour, browserZone(), serverNow());
    if (found.kind === 'past') toastError(null, m.hasPassed(found.time));
    if (found.kind === 'ask') setAsked({ post, wanted: found.wanted });
    if (found.kind !== 'move') return;
    setMoving({ id: post.id, at: found.at });
    void move(post, found.at).finally(() => setMoving(null));
  };
  return {
    isDragging: dragged !== null,
    moving,
    asked,
    start: setDragged,
    end: () => setDragged(null),
    timeOn,
    drop,
    ask: (post) => setAsked(post && { post }),
  };
};

/** Returns the calendar's post card that contains an element; null if there is none. */
const cardOf = (element: Element | null): HTMLElement | null => element?.closest<HTMLElement>('.plan-card') ?? null;

/** Returns the post cards sorted by time. In the week view, document order is by hour, across all days. */
const listCards = (): HTMLElement[] =>
  [...document.querySelectorAll<HTMLElement>('.plan-card')].sort((a, b) => Number(a.dataset.at) - Number(b.dataset.at));

/** Returns the link in a post's card; null if the post is not shown. Moving a post gives it a new element. */
export const findCard = (id: string): HTMLElement | null =>
  document.querySelector<HTMLElement>(`.plan-card[data-post="${CSS.escape(id)}"] .plan-card-link`);

/** Handles the calendar's keys: `j` and `k` go to the next and the previous post, `m` moves the post. */
export const usePlanKeys = (): void => {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      const target = event.target as HTMLElement;
      if (event.metaKey || event.ctrlKey || event.altKey || isTyping(target)) return;
      if (document.querySelector('[role="dialog"]')) return;
      const card = cardOf(target);
      if (event.key === 'm') {
        const button = card?.querySelector<HTMLElement>('.plan-move');
        if (button) event.preventDefault();
        button?.click();
      }
      const step = { j: 1, k: -1 }[event.key];
      if (step === undefined) return;
      const cards = listCards();
      const next = card ? cards.indexOf(card) + step : step > 0 ? 0 : cards.length - 1;
      cards[Math.min(cards.length - 1, Math.max(0, next))]?.querySelector<HTMLElement>('.plan-card-link')?.focus();
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, []);
};
