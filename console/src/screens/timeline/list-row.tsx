import { memo } from 'react';
import type { Names } from '../../api/things.js';
import { networkTitle } from '../../components/icon.js';
import { Moment } from '../../components/time.js';
import { format } from '../../i18n/format.js';
import { useLocale } from '../../i18n/messages.js';
import { type Post, postTitle } from '../../publications/shown-state.js';
import {
  needsPerson,
  type Publication,
  type ShownState,
  shownState,
  stateLook,
  stateNames as states,
} from '../../publications/states.js';
import { WaitingReason, WaitingTime } from '../../publications/waiting.js';
import { cellsOf, type Column, mainPublication, type Row } from './columns.js';
import { timelineMessages as m } from './messages.js';
import type { Selection } from './use-selection.js';
import { WhyPanel } from './why-panel.js';

interface PostRowProps {
  readonly post: Post;
  readonly columns: readonly Column[];
  readonly names: Names;
  readonly isSelected: boolean;
  readonly isOpen: boolean;
  /** Id of the panel that the row opens. */
  readonly controls: string;
  readonly onToggle: (post: Post) => void;
}

/** A post in one line: its text, its state in each column, and what it is waiting for or how it went. */
export const PostRow = ({ post, columns, names, isSelected, isOpen, controls, onToggle }: PostRowProps) => (
  <button
    type="button"
    className="post-line"
    data-selected={isSelected || undefined}
    aria-expanded={isOpen}
    aria-controls={isOpen ? controls : undefined}
    onClick={() => onToggle(post)}
  >
    <span className="post-time">
      <Moment at={post.accepted_at} form="time" />
    </span>
    <bdi className="cut post-text">{postTitle(post, m.media)}</bdi>
    {cellsOf(post, columns).map((cell, index) => {
      const column = columns[index];
      const where = column?.name ?? networkTitle(column?.platform ?? '');
      return (
        <span
          key={column?.key}
          className="post-cell"
          title={`${where}: ${cell ? states[cell.state] : m.notSent}`}
          // A label instead of hidden text, because every hidden element would get its own layer.
          {...(cell ? { role: 'img', 'aria-label': `${where}: ${states[cell.state]};` } : { 'data-empty': true })}
        >
          {cell === null ? (
            <i className="post-none" />
          ) : (
            <>
              <i className={`post-state state-${cell.state}`} />
              {column?.name === null && cell.count > 1 && <small>{cell.count}</small>}
            </>
          )}
        </span>
      );
    })}
    <Outcome post={post} names={names} />
  </button>
);

/**
 * The reason a post is waiting, failed or was filtered; otherwise how much of it was published and how long that took.
 */
const Outcome = ({ post, names }: Pick<PostRowProps, 'post' | 'names'>) => {
  const main = mainPublication(post.publications);
  if (main && shownState(main) !== 'filtered') {
    const isUrgent = main.state === 'failed' || needsPerson(main);
    return (
      <span className="post-outcome">
        <span className={isUrgent ? `urgent tone-${stateLook(shownState(main)).tone}` : ''}>
          <WaitingReason publication={main} names={names} />
        </span>
        {!isUrgent && main.waiting_for?.until && (
          <>
            <span aria-hidden="true">·</span>
            <WaitingTime publication={main} />
          </>
        )}
      </span>
    );
  }
  const inState = (state: ShownState) => post.publications.filter((each) => shownState(each) === state);
  const times = inState('published').flatMap(({ published_at: at }) => (at === null ? [] : [Date.parse(at)]));
  const published = inState('published').length + inState('confirmed').length;
  const took = Math.max(...times) - Date.parse(post.accepted_at);
  const other = (['withdrawn', 'cancelled', 'dismissed'] as const).find((state) => inState(state).length > 0);
  const text = main ? (
    <>
      <bdi>{names.channel(main.target_id)?.name ?? networkTitle(main.platform)}</bdi>: {m.filtered}
    </>
  ) : published === 0 && other ? (
    states[other]
  ) : published < post.publications.length ? (
    m.partly(published, post.publications.length)
  ) : times.length > 0 ? (
    m.publishedIn(format.latency(Math.max(0, took)))
  ) : published > 0 ? (
    states.confirmed
  ) : null;
  return (
    <span className="post-outcome tertiary">
      <span>{text}</span>
    </span>
  );
};

interface ListRowProps {
  readonly row: Row;
  readonly index: number;
  /** Distance from the top of the list, in pixels. */
  readonly top: number;
  /** Height of the row when collapsed, in pixels. */
  readonly height: number;
  readonly columns: readonly Column[];
  readonly names: Names;
  readonly panelId: string;
  readonly isSelected: boolean;
  readonly isOpen: boolean;
  /** Id of the selected publication; null for the publication in the worst state. */
  readonly publicationId: string | null;
  readonly onToggle: Selection['toggle'];
  readonly onChoose: Selection['choose'];
  /** Receives the element of an expanded row to measure it, because its height is not known in advance. */
  readonly measure: (element: HTMLElement | null) => void;
}

/** A row of the list. Re-renders only when the row itself changes, not whenever the list scrolls. */
export const ListRow = memo(({ row, index, top, height, isOpen, measure, ...rest }: ListRowProps) => {
  useLocale();
  // Not a transform, because a separate layer for each row would cost more than the rows themselves.
  const place = isOpen ? { top } : { top, height };
  if (row.kind === 'day')
    return (
      <li className="posts-day" style={place}>
        {format.longDay(row.at)}
      </li>
    );
  const { columns, names, panelId, isSelected, publicationId, onToggle, onChoose } = rest;
  const { post } = row;
  return (
    <li
      ref={isOpen ? measure : null}
      data-index={index}
      data-post={row.id}
      className={`posts-row ${isOpen ? 'open' : ''}`}
      style={place}
    >
      <PostRow
        post={post}
        columns={columns}
        names={names}
        isSelected={isSelected}
        isOpen={isOpen}
        controls={panelId}
        onToggle={onToggle}
      />
      {isOpen && (
        <WhyPanel
          id={panelId}
          post={post}
          publication={chosenOf(post, publicationId)}
          names={names}
          onChoose={(publication) => onChoose(post, publication)}
        />
      )}
    </li>
  );
});
ListRow.displayName = 'ListRow';

/**
 * Returns the publication to explain in a post's panel: the selected publication or, by default, the one in the worst
 * state.
 */
const chosenOf = ({ publications }: Post, id: string | null): Publication =>
  (publications.find((each) => each.id === id) ?? mainPublication(publications) ?? publications[0]) as Publication;
