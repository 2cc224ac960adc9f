import { type PointerEvent, useMemo, useRef } from 'react';
import { useNames } from '../../api/things.js';
import { Button } from '../../components/button.js';
import { Card } from '../../components/card.js';
import { Moment } from '../../components/time.js';
import { useIsPhone } from '../../components/use-is-phone.js';
import { initialsOf, useActorName } from '../../history/actors.js';
import { format } from '../../i18n/format.js';
import { useNow } from '../../time/server-clock.js';
import { type Ticks, useTicks } from './data.js';
import { EventsChart } from './events-chart.js';
import { timeMessages as m } from './messages.js';
import { MomentSlider, type SliderProps } from './moment-slider.js';
import { groupSpans, mergeChanges, type SpanRow } from './span-rows.js';
import { axisMarks, isInside, meets, percentOf, type TimeWindow } from './window.js';

/** Explains the chart's colours and the slider's keyboard shortcuts. */
export const ChartLegend = ({ slider: { at, from, onFrom } }: { readonly slider: SliderProps }) => (
  <div className="chart-legend">
    <span>
      <svg className="legend-sample" aria-hidden="true">
        <rect x="0.5" y="0.5" width="15" height="9" rx="2" className="span-pause" />
      </svg>
      {m.paused}
    </span>
    <span>
      <svg className="legend-sample" aria-hidden="true">
        <rect x="0.5" y="0.5" width="15" height="9" rx="2" className="span-stop" />
      </svg>
      {m.held}
    </span>
    {from !== null && (
      <span>
        <svg className="legend-sample" aria-hidden="true">
          <rect width="16" height="10" rx="2" className="legend-compared" />
        </svg>
        {m.compared(format.time(from), format.seconds(at))}
      </span>
    )}
    <span className="legend-keys">
      <span className="legend-key">
        <kbd>←</kbd> <kbd>→</kbd> {m.keysEvents}
      </span>
      <span className="legend-key">
        <kbd>⇧</kbd> <kbd>←</kbd> {m.keysPeople}
      </span>
      <Button size="small" look="quiet" onClick={() => onFrom(from === null ? at : null)}>
        <kbd>C</kbd> {from === null ? m.compare : m.stopComparing}
      </Button>
    </span>
  </div>
);

/** A table of the chart's pauses, holds and changes by people, for screen readers. */
export const ChartTable = ({ ticks, rows }: { readonly ticks: Ticks; readonly rows: readonly SpanRow[] }) => {
  const actorName = useActorName();
  const thingName = useThingName();
  return (
    <div className="visually-hidden">
      <table>
        <caption>{m.table}</caption>
        <tbody>
          {rows.flatMap((row) =>
            row.spans.map(({ event_id: id, kind, from, to }) => (
              <tr key={id}>
                <td>
                  <bdi>{row.name}</bdi>
                </td>
                <td>{m.spanKinds[kind as keyof typeof m.spanKinds]}</td>
                <td>
                  <Moment at={from} />
                </td>
                <td>{to === null ? m.stillOpen : <Moment at={to} />}</td>
              </tr>
            )),
          )}
          {ticks.changes.map((change) => (
            <tr key={change.event_id}>
              <td>
                <bdi>{actorName(change)}</bdi>
              </td>
              <td>
                <bdi>{thingName(change)}</bdi>
              </td>
              <td>
                <Moment at={change.at} />
              </td>
              <td />
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
};

/** Returns a function that names what a person changed. */
const useThingName = () => {
  const names = useNames();
  return ({ aggregate_id: id }: Pick<Ticks['changes'][number], 'aggregate_id'>): string =>
    (names.channel(id ?? '') ?? names.project(id ?? '') ?? names.endpoint(id ?? ''))?.name ?? m.oneChange;
};

interface HistoryStripProps {
  readonly firstAt: string | null;
  readonly window: TimeWindow;
  readonly onChoose: (at: number) => void;
}

/**
 * The whole history in one strip, with the window as a box. Clicking it selects a moment. It needs no keyboard support,
 * because the slider's keys can reach every moment.
 */
export const HistoryStrip = ({ firstAt, window, onChoose }: HistoryStripProps) => {
  const now = useNow(3_600_000) + 3_600_000;
  const from = firstAt === null ? now - 86_400_000 : Date.parse(firstAt);
  const all = useMemo(() => ({ from: Math.floor(from / 60_000) * 60_000, to: now }), [from, now]);
  const ticks = useTicks(all, 200).data;
  const left = percentOf(all, window.from);
  const width = Math.max(0.8, percentOf(all, window.to) - left);
  const isShort = all.to - all.from < 3 * 86_400_000;
  return (
    <div className="time-row history-strip" aria-hidden="true">
      <span className="time-label">{m.allHistory}</span>
      <div
        className="strip-lane"
        onClick={(event) => {
          const box = event.currentTarget.getBoundingClientRect();
          onChoose(Math.min(Date.now(), all.from + ((event.clientX - box.left) / box.width) * (all.to - all.from)));
        }}
      >
        {ticks && <EventsChart ticks={ticks} window={all} form="outline" />}
        <i className="strip-window" style={{ left: `${left}%`, width: `${width}%` }} />
        <div className="time-lane strip-axis">
          {axisMarks(all, 6).map((mark) => (
            <span key={mark} style={{ left: `${percentOf(all, mark)}%` }}>
              {isShort ? format.time(mark) : format.day(mark)}
            </span>
          ))}
        </div>
      </div>
    </div>
  );
};

/** How far a touch must move to count as a drag rather than a tap, in pixels. */
const TAP_PX = 6;
/** Width of the name column next to the lanes, in pixels. Must match time.css. */
const NAMES_PX = 76;

/** Returns pointer handlers that slide the history under the centred handle; none if the handle itself moves. */
export const usePan = ({ isCentred, window, at, onPan }: SliderProps) => {
  const start = useRef<{ readonly x: number; readonly at: number; isPanning: boolean } | null>(null);
  if (!isCentred) return {};
  const end = (): void => {
    start.current = null;
  };
  return {
    onPointerDown: ({ clientX, isPrimary }: PointerEvent) => {
      if (isPrimary) start.current = { x: clientX, at, isPanning: false };
    },
    onPointerMove: ({ clientX, pointerId, currentTarget }: PointerEvent<HTMLElement>) => {
      const begun = start.current;
      if (!begun) return;
      const moved = clientX - begun.x;
      if (!begun.isPanning && Math.abs(moved) < TAP_PX) return;
      if (!begun.isPanning) currentTarget.setPointerCapture(pointerId);
      begun.isPanning = true;
      const lanes = currentTarget.clientWidth - NAMES_PX;
      onPan(begun.at - (moved / lanes) * (window.to - window.from));
    },
    onPointerUp: end,
    onPointerCancel: end,
  };
};

/** Maximum number of rows for pauses and holds; any others are only counted. */
const MAX_ROWS = 6;

interface TimeChartProps {
  readonly ticks: Ticks;
  readonly slider: SliderProps;
  /** Opens an event and goes to its time. */
  readonly onOpenEvent: (id: string, at: number) => void;
}

/** The strip with the whole history, and below it the window: changes by people, events, pauses and the handles. */
export const TimeChart = ({ ticks, slider, onOpenEvent }: TimeChartProps) => {
  const names = useNames();
  const actorName = useActorName();
  const thingName = useThingName();
  const now = useNow(1000);
  const { window } = slider;
  const pan = usePan(slider);
  const rows = groupSpans(
    ticks.spans.filter(({ from, to }) => meets(window, Date.parse(from), to === null ? null : Date.parse(to))),
    names,
  );
  const shown = rows.slice(0, MAX_ROWS);
  const events = ticks.buckets
    .filter(({ at }) => isInside(window, Date.parse(at)))
    .reduce((sum, bucket) => sum + bucket.events, 0);
  return (
    <Card label={m.chart} className="time-chart">
      <HistoryStrip firstAt={ticks.first_at} window={window} onChoose={slider.onAt} />
      <div className={`time-plot ${slider.isCentred ? 'centred' : ''}`} {...pan}>
        <div className="time-row time-people">
          <span className="time-label">{m.byPeople}</span>
          <div className="time-lane">
            {mergeChanges(ticks.changes, window.to - window.from).map(({ at, changes }) => {
              const [first] = changes;
              if (!first || !isInside(window, at)) return null;
              const who = actorName(first);
              return (
                <button
                  key={first.event_id}
                  type="button"
                  className="person-mark"
                  style={{ left: `${percentOf(window, at)}%` }}
                  title={`${format.seconds(at)} · ${who} · ${changes.length === 1 ? thingName(first) : m.changesHere(changes.length)}`}
                  aria-label={`${format.seconds(at)}, ${who}, ${changes.length === 1 ? thingName(first) : m.changesHere(changes.length)}`}
                  onClick={() => onOpenEvent(first.event_id, at)}
                >
                  {changes.length === 1 ? initialsOf(who) : changes.length}
                </button>
              );
            })}
          </div>
        </div>
        <div className="time-row time-events">
          <span className="time-label">
            {m.events}
            <small className="tertiary">{m.inView(format.number(events))}</small>
          </span>
          <EventsChart ticks={ticks} window={window} form="bars" />
        </div>
        {shown.map((row) => (
          <div key={row.id} className="time-row">
            <bdi className="time-label cut">{row.name}</bdi>
            <SpanLane spans={row.spans} window={window} />
          </div>
        ))}
        {rows.length > shown.length && (
          <div className="time-row">
            <span className="time-label tertiary">{m.more(rows.length - shown.length)}</span>
          </div>
        )}
        <div className="time-row time-axis" aria-hidden="true">
          <span className="time-label" />
          <Axis window={window} />
        </div>
        {isInside(window, now) && (
          <div className="time-overlay" aria-hidden="true">
            <i className="time-now" style={{ left: `${percentOf(window, now)}%` }}>
              <span>{m.now.toLowerCase()}</span>
            </i>
          </div>
        )}
        <MomentSlider {...slider} />
      </div>
      <ChartLegend slider={slider} />
      <ChartTable ticks={ticks} rows={rows} />
    </Card>
  );
};

const SpanLane = ({ spans, window }: { readonly spans: Ticks['spans']; readonly window: TimeWindow }) => (
  <svg className="span-lane" aria-hidden="true">
    <defs>
      <pattern id="hatch" width="7" height="7" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
        <rect width="3" height="7" className="hatch" />
      </pattern>
    </defs>
    {spans.map(({ kind, from, to, event_id: id }) => {
      const start = percentOf(window, Date.parse(from));
      const end = to === null ? 100 : percentOf(window, Date.parse(to));
      const isPause = kind === 'project_pause' || kind === 'channel_pause';
      return (
        <rect
          key={id}
          x={`${start}%`}
          y="3"
          width={`${Math.max(0.3, end - start)}%`}
          height="13"
          rx="3"
          className={isPause ? 'span-pause' : 'span-stop'}
        />
      );
    })}
  </svg>
);

const DAY = 86_400_000;

const Axis = ({ window }: { readonly window: TimeWindow }) => {
  const isLong = window.to - window.from > 2 * DAY;
  return (
    <div className="time-lane">
      {axisMarks(window, useIsPhone() ? 4 : 8).map((mark) => (
        <span key={mark} style={{ left: `${percentOf(window, mark)}%` }}>
          {isLong ? format.day(mark) : format.time(mark)}
        </span>
      ))}
    </div>
  );
};
