import { memo } from 'react';
import type { Names } from '../../api/things.js';
import { format } from '../../i18n/format.js';
import { useLocale } from '../../i18n/locale.js';
import type { Post } from '../../publications/posts.js';
import type { Publication } from '../../publications/states.js';
import { type Column, mainPublication } from './columns.js';
import type { Row } from './day-rows.js';
import { PostRow } from './post-row.js';
import type { Selection } from './use-selection.js';
import { WhyPanel } from './why-panel.js';

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
