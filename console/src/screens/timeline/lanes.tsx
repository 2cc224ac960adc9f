import './lanes.css';
import { useVirtualizer } from '@tanstack/react-virtual';
import { type RefObject, useEffect, useMemo, useRef, useState } from 'react';
import type { Api } from '../../api/management.js';
import { Card } from '../../components/card.js';
import { TextInput } from '../../components/controls.js';
import { useIsPhone } from '../../components/use-is-phone.js';
import { format } from '../../i18n/format.js';
import { useNow } from '../../time/server-clock.js';
import { axisTicks, placeOf, type TimeWindow } from './columns.js';
import { Lane } from './lane.js';
import { barsOf, FEW_CHANNELS, groupLanes, type Mark } from './lane-marks.js';
import { timelineMessages as m } from './messages.js';
import { useSpans } from './use-lanes.js';
import type { LaneCounts } from './waiting-summary.js';

const NAME_WIDTH = 190;
/** Minimum distance between two marks, in pixels. */
const MARK_DISTANCE = 22;
const HEIGHTS = { desktop: { lane: 36, group: 28 }, phone: { lane: 46, group: 30 } };

interface LanesProps {
  readonly channels: readonly Api<'Channel'>[];
  readonly projects: readonly Api<'Project'>[];
  readonly window: TimeWindow;
  /** True if the window moves with the current time; false if it shows a moment in the past. */
  readonly isLive: boolean;
  readonly marks: ReadonlyMap<string, readonly Mark[]>;
  readonly counts: ReadonlyMap<string, LaneCounts>;
  /** Start of the fully loaded period, in ms since 1970; null if the whole window is loaded. */
  readonly completeSince: number | null;
  readonly selected: string | null;
  readonly onSelect: (mark: Mark) => void;
}

/**
 * A lane per channel, over time: what was published, what is waiting and until when, pauses and holds. Users who cannot
 * see the chart get the same information from the post list.
 */
export const Lanes = ({
  channels,
  projects,
  window: shown,
  isLive,
  marks,
  counts,
  completeSince,
  ...rest
}: LanesProps) => {
  const [search, setSearch] = useState('');
  const scroller = useRef<HTMLDivElement>(null);
  const rows = useMemo(() => groupLanes(channels, projects, search), [channels, projects, search]);
  const isPhone = useIsPhone();
  const heights = HEIGHTS[isPhone ? 'phone' : 'desktop'];
  // eslint-disable-next-line react-hooks/incompatible-library -- the compiler is not used
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => heights[rows[index]?.kind ?? 'lane'],
    getItemKey: (index) => rows[index]?.id ?? index,
    overscan: 8,
  });
  useEffect(() => virtual.measure(), [virtual, heights, rows]);
  const width = useWidth(scroller) - (isPhone ? 0 : NAME_WIDTH);
  const distance = width > 0 ? (MARK_DISTANCE / width) * shown.length : 0;
  const spans = useSpans(shown);
  const now = useNow(60_000);
  const bars = useMemo(() => {
    const projectIds = new Map<string, string[]>();
    for (const { id, channel_ids: ids } of projects)
      for (const each of ids) projectIds.set(each, [...(projectIds.get(each) ?? []), id]);
    return new Map(
      channels.map((channel) => [channel.id, barsOf(channel, projectIds.get(channel.id) ?? [], spans, now)]),
    );
  }, [channels, projects, spans, now]);
  const isMany = channels.length > FEW_CHANNELS;
  return (
    <Card label={m.lanes} className="lanes">
      <div className="lanes-scroll" ref={scroller}>
        {isLive && <Shift window={shown} target={scroller} />}
        <div className="lanes-axis">
          <span className="lanes-date">
            {isMany ? (
              <TextInput
                type="search"
                aria-label={m.findChannel}
                placeholder={m.findChannel}
                value={search}
                onChange={(event) => setSearch(event.target.value)}
              />
            ) : (
              format.longDay(shown.middle)
            )}
          </span>
          <Axis window={shown} isLive={isLive} />
        </div>
        <div className="lanes-body" style={{ height: virtual.getTotalSize() }}>
          <Grid window={shown} isLive={isLive} />
          {virtual.getVirtualItems().map(({ key, index, start, size }) => {
            const row = rows[index];
            if (!row) return null;
            const place = { height: size, top: start };
            if (row.kind === 'group')
              return (
                <h3 key={key} className="lane-group" style={place}>
                  <bdi className="cut">{row.name ?? m.noProject}</bdi>
                </h3>
              );
            return (
              <div key={key} className="lane" style={place}>
                <Lane
                  channel={row.channel}
                  marks={marks.get(row.id) ?? NO_MARKS}
                  bars={bars.get(row.id) ?? NO_BARS}
                  counts={counts.get(row.id)}
                  window={shown}
                  distance={distance}
                  {...rest}
                />
              </div>
            );
          })}
        </div>
      </div>
      {rows.length === 0 && <p className="lanes-note secondary">{m.noChannels}</p>}
      {completeSince !== null && (
        <p className="lanes-note tertiary">{m.tooMany(format.moment(completeSince, shown.middle))}</p>
      )}
    </Card>
  );
};

const NO_MARKS: readonly Mark[] = [];
const NO_BARS: ReturnType<typeof barsOf> = [];

interface ShiftProps {
  readonly window: TimeWindow;
  readonly target: RefObject<HTMLElement | null>;
}

/** Shifts the contents of the lanes to the left as time passes, without re-rendering them. */
const Shift = ({ window: { middle, length }, target }: ShiftProps) => {
  const passed = useNow(1000) - middle;
  useEffect(() => {
    const element = target.current;
    element?.style.setProperty('--shift', `${(-passed / length) * 100}%`);
    return () => void element?.style.removeProperty('--shift');
  }, [passed, length, target]);
  return null;
};

/** The times above the lanes. */
const Axis = ({ window: shown, isLive }: { readonly window: TimeWindow; readonly isLive: boolean }) => {
  const label = (at: number): string => (shown.span === 'week' ? format.day(at) : format.time(at));
  return (
    <div className="lanes-scale" aria-hidden="true">
      <div className="lanes-moving">
        {axisTicks(shown).map((at, index) => {
          const place = placeOf(at, shown);
          if (place < 3 || place > 97 || (isLive && Math.abs(place - 50) < 6)) return null;
          return (
            <span key={at} className={index % 2 === 0 ? 'even' : 'odd'} style={{ left: `${place}%` }}>
              {label(at)}
            </span>
          );
        })}
      </div>
      <NowLabel window={shown} isLive={isLive} />
    </div>
  );
};

const NowLabel = ({ window: shown, isLive }: { readonly window: TimeWindow; readonly isLive: boolean }) => {
  const now = useNow(isLive ? 1000 : 60_000);
  const place = isLive ? 50 : placeOf(now, shown);
  if (place < 0 || place > 100) return null;
  return (
    <span className="lanes-now" style={{ left: `${place}%` }}>
      {format.time(now)}
    </span>
  );
};

/** The lines behind the lanes, the current-time line, and the tint of the future. */
const Grid = ({ window: shown, isLive }: { readonly window: TimeWindow; readonly isLive: boolean }) => {
  const now = useNow(60_000);
  const place = isLive ? 50 : placeOf(now, shown);
  return (
    <div className="lanes-grid" aria-hidden="true">
      <div className="lanes-moving">
        {axisTicks(shown).map((at) => (
          <i key={at} className="lanes-tick" style={{ left: `${placeOf(at, shown)}%` }} />
        ))}
      </div>
      {place < 100 && <i className="lanes-future" style={{ left: `${Math.max(0, place)}%` }} />}
      {place > 0 && place < 100 && <i className="lanes-line" style={{ left: `${place}%` }} />}
      {!isLive && <i className="lanes-moment" style={{ left: '50%' }} />}
    </div>
  );
};

const useWidth = (element: RefObject<HTMLElement | null>): number => {
  const [width, setWidth] = useState(0);
  useEffect(() => {
    if (!element.current) return;
    const observer = new ResizeObserver(([entry]) => setWidth(entry?.contentRect.width ?? 0));
    observer.observe(element.current);
    return () => observer.disconnect();
  }, [element]);
  return width;
};
