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
  const { window, at, from, isCentred, onAt, onFrom } = props;
  const place = percentOf(window, at);
  const start = from === null ? place : percentOf(window, from);
  return (
    <div className="time-overlay" onKeyDownCapture={(event) => handleKey(event, props)}>
      {from !== null && (
        <>
          <i
            className="time-compared"
            style={{ left: `${Math.min(start, place)}%`, width: `${Math.abs(place - start)}%` }}
          />
          <Handle
            window={window}
            time={from}
            look={!isCentred && Math.abs(place - start) > NEAR_PERCENT ? 'from loose' : 'from'}
            label={m.compareFrom}
            shown={format.time(from)}
            onMove={onFrom}
          />
        </>
      )}
      <Handle window={window} time={at} look="at" label={m.moment} shown={format.seconds(at)} onMove={onAt} />
    </div>
  );
};

/** How far apart the handles must be, in percent, for the one to compare from to be grabbed: it would cover the other. */
const NEAR_PERCENT = 1;

interface HandleProps {
  readonly window: TimeWindow;
  readonly time: number;
  /** Its classes. */
  readonly look: string;
  readonly label: string;
  readonly shown: string;
  readonly onMove: (time: number) => void;
}

/** An invisible slider as large as the chart, and the line with the time that is drawn for it. */
const Handle = ({ window, time, look, label, shown, onMove }: HandleProps) => (
  <>
    <input
      type="range"
      className={`moment-input ${look}`}
      min={window.from}
      max={window.to}
      step={1000}
      value={Math.min(window.to, Math.max(window.from, time))}
      aria-label={label}
      aria-valuetext={`${format.longDay(time)}, ${format.seconds(time)}`}
      onChange={({ target }) => onMove(Number(target.value))}
    />
    <span
      className={`moment-handle ${look} ${isInside(window, time) ? '' : 'outside'}`}
      style={{ left: `${percentOf(window, time)}%` }}
      aria-hidden="true"
    >
      <span>{shown}</span>
    </span>
  </>
);

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
