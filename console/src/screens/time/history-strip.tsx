import { useMemo } from 'react';
import { format } from '../../i18n/format.js';
import { useNow } from '../../time/server-clock.js';
import { useTicks } from './data.js';
import { EventsChart } from './events-chart.js';
import { timeMessages as m } from './messages.js';
import { axisMarks, percentOf, type TimeWindow } from './window.js';

/**
 * The whole history in one strip, with the window as a box. Clicking it selects a moment. It needs no keyboard support,
 * because the slider's keys can reach every moment.
 */
export const HistoryStrip = ({
  firstAt,
  window,
  onChoose,
}: {
  readonly firstAt: string | null;
  readonly window: TimeWindow;
  readonly onChoose: (at: number) => void;
}) => {
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
