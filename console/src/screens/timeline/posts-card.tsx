import './posts-card.css';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { type CSSProperties, useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from 'react';
import type { Names } from '../../api/things.js';
import { Button } from '../../components/button.js';
import { Card } from '../../components/card.js';
import { NetworkMark, networkTitle } from '../../components/icon.js';
import { useIsPhone } from '../../components/use-is-phone.js';
import type { Post } from '../../publications/shown-state.js';
import { useNow } from '../../time/server-clock.js';
import { type Column, toRows } from './columns.js';
import { ListRow } from './list-row.js';
import { timelineMessages as m } from './messages.js';
import { useStateImages } from './use-lanes.js';
import type { Selection } from './use-selection.js';

/** Number of rows to render beyond each edge of the window. */
const OVERSCAN = 30;
const HEIGHTS = { desktop: { post: 37, day: 29 }, phone: { post: 65, day: 33 } };

interface PostsCardProps {
  readonly posts: readonly Post[];
  readonly columns: readonly Column[];
  readonly names: Names;
  readonly selection: Selection;
  /** Number of new posts that are held back while the list must not move. */
  readonly arrived: { readonly count: number; readonly isMore: boolean };
  readonly onShowArrived: () => void;
  /** Called when the user nears the end of the list. */
  readonly onEnd: () => void;
  /** Called with true when the list must stop moving and with false when it may move again. */
  readonly onHold: (isHeld: boolean) => void;
  readonly footer: React.ReactNode;
}

/** The list of posts, newest first. Only rows in or near the window are rendered. */
export const PostsCard = ({
  posts,
  columns,
  names,
  selection,
  arrived,
  onShowArrived,
  onEnd,
  ...rest
}: PostsCardProps) => {
  const panelId = useId();
  const now = useNow(60_000);
  const rows = useMemo(() => toRows(posts, now), [posts, now]);
  const list = useRef<HTMLOListElement>(null);
  const top = useTop(list, rows.length);
  const heights = HEIGHTS[useIsPhone() ? 'phone' : 'desktop'];
  const virtual = useWindowVirtualizer({
    count: rows.length,
    estimateSize: (index) => heights[rows[index]?.kind ?? 'post'],
    overscan: OVERSCAN,
    scrollMargin: top,
    getItemKey: (index) => rows[index]?.id ?? index,
  });
  useEffect(() => virtual.measure(), [virtual, heights]);
  const items = virtual.getVirtualItems();
  const last = items.at(-1)?.index ?? 0;
  const isNearEnd = last >= rows.length - OVERSCAN - 10;
  useEffect(() => {
    if (isNearEnd) onEnd();
  }, [isNearEnd, rows.length, onEnd]);
  const isScrolled = (virtual.scrollOffset ?? 0) > top;
  const { onHold, footer } = rest;
  const pointer = useHold(isScrolled || selection.isOpen, onHold);
  useStateImages();
  useReveal(selection.reveal, list, (postId) => {
    const index = rows.findIndex(({ id }) => id === postId);
    if (index >= 0) virtual.scrollToIndex(index, { align: 'auto' });
  });
  return (
    <Card label={m.posts} className="posts">
      {/* Also holds the button for new posts: the list must not move while the pointer is heading for the button. */}
      <div {...pointer}>
        <div
          className="posts-head"
          style={{ '--count': Math.max(1, columns.length) } as CSSProperties}
          aria-hidden="true"
        >
          <span>{m.at}</span>
          <span>{m.post}</span>
          {columns.map(({ key, platform, name, initials }) => (
            <span key={key} className="posts-column" title={name ?? networkTitle(platform)}>
              <NetworkMark platform={platform} size={16} />
              {initials !== '' && <small>{initials}</small>}
            </span>
          ))}
          <span className="right">{m.waitsFor}</span>
        </div>
        {arrived.count > 0 && (
          <div className="posts-new" role="status">
            <Button size="small" onClick={onShowArrived}>
              {m.newPosts(arrived.count, arrived.isMore)}
            </Button>
          </div>
        )}
        <ol
          ref={list}
          className="posts-list"
          aria-label={m.posts}
          style={{ height: virtual.getTotalSize(), '--count': Math.max(1, columns.length) } as CSSProperties}
        >
          {items.map(({ key, index, start }) => {
            const row = rows[index];
            if (!row) return null;
            const isSelected = selection.postId === row.id;
            return (
              <ListRow
                key={key}
                row={row}
                index={index}
                top={start - top}
                height={heights[row.kind]}
                columns={columns}
                names={names}
                panelId={panelId}
                isSelected={isSelected}
                isOpen={isSelected && selection.isOpen}
                publicationId={isSelected ? selection.publicationId : null}
                onToggle={selection.toggle}
                onChoose={selection.choose}
                measure={virtual.measureElement}
              />
            );
          })}
        </ol>
      </div>
      {footer}
    </Card>
  );
};

/** Scrolls to the requested row and, if the request came from the keyboard, focuses it. */
const useReveal = (
  reveal: Selection['reveal'],
  list: { readonly current: HTMLElement | null },
  scrollTo: (postId: string) => void,
): void => {
  const scroll = useRef(scrollTo);
  useEffect(() => {
    scroll.current = scrollTo;
  });
  useEffect(() => {
    if (!reveal) return;
    scroll.current(reveal.postId);
    if (!reveal.isFocused) return;
    const frame = requestAnimationFrame(() =>
      list.current
        ?.querySelector<HTMLElement>(`[data-post="${CSS.escape(reveal.postId)}"] .post-line`)
        ?.focus({ preventScroll: true }),
    );
    return () => cancelAnimationFrame(frame);
  }, [reveal, list]);
};

/** Tracks an element's distance from the top of the page, in pixels, as the content above it changes. */
const useTop = (element: { readonly current: HTMLElement | null }, count: number): number => {
  const [top, setTop] = useState(0);
  useLayoutEffect(() => {
    const measure = (): void =>
      setTop(Math.round((element.current?.getBoundingClientRect().top ?? 0) + window.scrollY));
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(document.body);
    return () => observer.disconnect();
  }, [element, count]);
  return top;
};

/**
 * Reports whether the list must not move: the pointer is on it, or the user has scrolled down or opened a post
 * (`isBusy`). Returns the handlers that watch the pointer.
 */
const useHold = (isBusy: boolean, onHold: (isHeld: boolean) => void) => {
  const [isUnder, setIsUnder] = useState(false);
  const isHeld = isBusy || isUnder;
  useEffect(() => onHold(isHeld), [isHeld, onHold]);
  return { onPointerEnter: () => setIsUnder(true), onPointerLeave: () => setIsUnder(false) };
};
