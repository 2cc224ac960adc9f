import * as Radix from '@radix-ui/react-slider';
import type { KeyboardEvent } from 'react';
import { format } from '../../i18n/format.js';
import { timeMessages as m } from './messages.js';
import { isInside, percentOf, type TimeWindow } from './window.js';

/** State of the handles, and the functions that move them. */
export interface SliderProps {
  readonly window: TimeWindow;
  /** The selected moment, in ms since 1970. */
  readonly at: number;
  /** The time to compare `at` with; null if none. */
  readonly from: number | null;
  /** True on phones, where the moment stays in the middle and the history slides under it. */
  readonly isCentred: boolean;
  readonly onAt: (at: number) => void;
  /** Goes to the moment that the user dragged the history to, but not back past the first event. */
  readonly onPan: (at: number) => void;
  readonly onFrom: (from: number | null) => void;
  /** Goes to the next (1) or previous (-1) event: any event, or only changes by people. */
  readonly onStep: (by: 'events' | 'people', step: 1 | -1) => void;
  /** Moves one window length later (1) or earlier (-1). */
  readonly onWindow: (step: 1 | -1) => void;
  /** Goes to the beginning of the history. */
  readonly onFirst: () => void;
  /** Goes to the present. */
  readonly onNow: () => void;
}

/**
 * The handles over the chart. Keys: arrows go to the next or previous event, Shift+arrows to the next or previous
 * change by a person; PgUp and PgDn move by one window; Home goes to the first event, End to now; `c` starts or stops
 * comparing.
 */
export const MomentSlider = (props: SliderProps) => {
  const { window, at, from, onAt, onFrom } = props;
  const clamp = (time: number): number => Math.min(window.to, Math.max(window.from, time));
  const values = from === null ? [clamp(at)] : [clamp(Math.min(from, at)), clamp(Math.max(from, at))];
  const text = (time: number): string => `${format.longDay(time)}, ${format.seconds(time)}`;
  const change = (next: readonly number[]): void => {
    const [first, second] = next;
    if (second === undefined) {
      if (first !== undefined) onAt(first);
      return;
    }
    if (first !== undefined && first !== values[0]) onFrom(first);
    if (second !== values[1]) onAt(second);
  };
  return (
    <div className="time-overlay slider-overlay" onKeyDownCapture={(event) => handleKey(event, props)}>
      {from !== null && (
        <i
          className="time-compared"
          style={{
            left: `${percentOf(window, from)}%`,
            width: `${Math.max(0, percentOf(window, at) - percentOf(window, from))}%`,
          }}
        />
      )}
      <Radix.Root
        className="moment-slider"
        min={window.from}
        max={window.to}
        step={1000}
        value={values}
        onValueChange={change}
      >
        <Radix.Track className="moment-track" />
        {values.map((time, index) => {
          const isFrom = from !== null && index === 0;
          const shownTime = isFrom ? from : at;
          return (
            <Radix.Thumb
              key={isFrom ? 'from' : 'at'}
              className={`moment-thumb ${isFrom ? 'from' : 'at'} ${isInside(window, shownTime) ? '' : 'outside'}`}
              aria-label={isFrom ? m.compareFrom : m.moment}
              aria-valuetext={text(time)}
            >
              <span>{isFrom ? format.time(shownTime) : format.seconds(shownTime)}</span>
            </Radix.Thumb>
          );
        })}
      </Radix.Root>
    </div>
  );
};

const handleKey = (event: KeyboardEvent, { at, from, onFrom, onStep, onWindow, onFirst, onNow }: SliderProps): void => {
  if (event.metaKey || event.ctrlKey || event.altKey) return;
  const by = event.shiftKey ? 'people' : 'events';
  const actions: Readonly<Record<string, () => void>> = {
    ArrowLeft: () => onStep(by, -1),
    ArrowDown: () => onStep(by, -1),
    ArrowRight: () => onStep(by, 1),
    ArrowUp: () => onStep(by, 1),
    PageUp: () => onWindow(-1),
    PageDown: () => onWindow(1),
    Home: onFirst,
    End: onNow,
    c: () => onFrom(from === null ? at : null),
  };
  const action = actions[event.key];
  if (!action) return;
  event.preventDefault();
  event.stopPropagation();
  action();
};
