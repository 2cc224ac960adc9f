import { useNames } from '../../api/things.js';
import { Card } from '../../components/card.js';
import { useIsPhone } from '../../components/use-is-phone.js';
import { initialsOf, useActorName } from '../../history/actors.js';
import { format } from '../../i18n/format.js';
import { useNow } from '../../time/server-clock.js';
import { ChartLegend } from './chart-legend.js';
import { ChartTable } from './chart-table.js';
import type { Ticks } from './data.js';
import { EventsChart } from './events-chart.js';
import { HistoryStrip } from './history-strip.js';
import { timeMessages as m } from './messages.js';
import { MomentSlider, type SliderProps } from './moment-slider.js';
import { groupSpans, mergeChanges } from './span-rows.js';
import { usePan } from './use-pan.js';
import { axisMarks, isInside, meets, percentOf, type TimeWindow } from './window.js';

/** Maximum number of rows for pauses and holds; any others are only counted. */
const MAX_ROWS = 6;

/** The strip with the whole history, and below it the window: changes by people, events, pauses and the handles. */
export const TimeChart = ({
  ticks,
  slider,
  onOpenEvent,
}: {
  readonly ticks: Ticks;
  readonly slider: SliderProps;
  /** Opens an event and goes to its time. */
  readonly onOpenEvent: (id: string, at: number) => void;
}) => {
  const names = useNames();
  const actorName = useActorName();
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
              const who = actorName(first.actor);
              return (
                <button
                  key={first.event_id}
                  type="button"
                  className="person-mark"
                  style={{ left: `${percentOf(window, at)}%` }}
                  title={`${format.seconds(at)} · ${who} · ${changes.length === 1 ? first.type : m.changesHere(changes.length)}`}
                  aria-label={`${format.seconds(at)}, ${who}, ${changes.length === 1 ? first.type : m.changesHere(changes.length)}`}
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
