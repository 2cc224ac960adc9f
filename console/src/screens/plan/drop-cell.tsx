import { useNavigate } from '@tanstack/react-router';
import { type DragEvent, type MouseEvent, type ReactNode, useState } from 'react';
import type { Day } from '../../time/local-time.js';
import type { PlanDrag } from './use-plan-drag.js';

/** Formats an hour as a time of day: `07:00`. */
export const hourName = (hour: number): string => `${String(hour).padStart(2, '0')}:00`;

/**
 * A cell of the calendar. While a post is dragged over the cell, it shows the time that the post would get. A click on
 * an empty spot schedules a post; keyboard users have the link at the head of the day.
 */
export const DropCell = ({
  day,
  hour,
  drag,
  isPast,
  className = '',
  title,
  children,
}: {
  readonly day: Day;
  /** From 0 to 23; null for the day as a whole. */
  readonly hour: number | null;
  readonly drag: PlanDrag;
  /** True if the cell's time has passed. */
  readonly isPast: boolean;
  readonly className?: string;
  readonly title?: string;
  readonly children?: ReactNode;
}) => {
  const navigate = useNavigate();
  const [isOver, setIsOver] = useState(false);
  const onDragOver = (event: DragEvent): void => {
    if (!drag.isDragging) return;
    event.preventDefault();
    event.dataTransfer.dropEffect = 'move';
    if (!isOver) setIsOver(true);
  };
  const onDragLeave = ({ currentTarget, relatedTarget }: DragEvent): void => {
    if (!(relatedTarget instanceof Node && currentTarget.contains(relatedTarget))) setIsOver(false);
  };
  const onDrop = (event: DragEvent): void => {
    event.preventDefault();
    setIsOver(false);
    drag.drop(day, hour);
  };
  const onClick = ({ target, currentTarget }: MouseEvent): void => {
    if (isPast || target !== currentTarget) return;
    void navigate({ to: '/compose', search: { day, ...(hour !== null && { time: hourName(hour) }) } });
  };
  return (
    <td
      className={`plan-cell ${isPast ? 'past' : 'open'} ${className}`}
      data-over={isOver || undefined}
      data-day={day}
      {...(hour !== null && { 'data-hour': hour, 'data-time': hourName(hour) })}
      {...(title !== undefined && { title })}
      onDragOver={onDragOver}
      onDragLeave={onDragLeave}
      onDrop={onDrop}
      onClick={onClick}
    >
      {children}
      {isOver && !isPast && <span className="plan-drop-time">{drag.timeOn(hour)}</span>}
    </td>
  );
};
