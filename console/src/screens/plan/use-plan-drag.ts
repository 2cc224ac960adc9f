import { useState } from 'react';
import { toastError } from '../../components/toasts.js';
import type { ChosenTime } from '../../planning/choose-time.js';
import { useMove } from '../../planning/use-move.js';
import type { Post } from '../../publications/posts.js';
import { browserZone, type Day, toLocal } from '../../time/local-time.js';
import { serverNow } from '../../time/server-clock.js';
import { readDrop, timeOfDrop } from './drop.js';
import { planMessages as m } from './messages.js';

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
