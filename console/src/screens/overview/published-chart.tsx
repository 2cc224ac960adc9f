import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { management } from '../../api/management.js';
import type { Overview } from '../../api/overview.js';
import { Segmented } from '../../components/controls.js';
import { format } from '../../i18n/format.js';
import { defineMessages } from '../../i18n/messages.js';
import { useScope } from '../../session/session.js';
import { useNow } from '../../time/server-clock.js';
import { HourChart } from './hour-chart.js';

const m = defineMessages({
  en: {
    period: 'Period',
    periods: { hour: 'Hour', day: 'Day', week: 'Week' },
    chart: {
      hour: 'Published in the last hour',
      day: 'Published in the last 24 hours',
      week: 'Published in the last 7 days',
    },
  },
  ru: {
    period: 'Период',
    periods: { hour: 'Час', day: 'День', week: 'Неделя' },
    chart: { hour: 'Вышло за час', day: 'Вышло за сутки', week: 'Вышло за неделю' },
  },
});

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** Lengths of the periods and of their bars, in ms. The overview itself contains the figures of the hour. */
const PERIODS = { day: { length: DAY, bar: HOUR / 2 }, week: { length: 7 * DAY, bar: 3 * HOUR } } as const;
type Period = 'hour' | keyof typeof PERIODS;

/** Returns the shortest period with publications, so that quiet owners do not see an empty chart. */
const usualPeriod = ({ networks, minutes, at }: Overview): Period => {
  if (minutes.some(({ published, failed, in_doubt: inDoubt }) => published + failed + inDoubt > 0)) return 'hour';
  const times = networks.flatMap(({ last_published_at: last }) => (last === null ? [] : [Date.parse(last)]));
  return Date.parse(at) - Math.max(0, ...times) < DAY ? 'day' : 'week';
};

/** The publications of the last hour, day or week. */
export const PublishedChart = ({ overview }: { readonly overview: Overview }) => {
  const [chosen, setChosen] = useState<Period | null>(null);
  const period = chosen ?? usualPeriod(overview);
  const choice = (
    <Segmented
      label={m.period}
      value={period}
      options={(['hour', 'day', 'week'] as const).map((value) => ({ value, label: m.periods[value] }))}
      onChange={setChosen}
    />
  );
  if (period === 'hour') return <HourChart title={m.chart.hour} minutes={overview.minutes} choice={choice} />;
  return <LongChart key={period} period={period} choice={choice} />;
};

const LongChart = ({ period, choice }: { readonly period: keyof typeof PERIODS; readonly choice: ReactNode }) => {
  const scope = useScope();
  const { length, bar } = PERIODS[period];
  const to = Math.ceil(useNow(60_000) / bar) * bar;
  const from = to - length;
  const { data } = useQuery({
    queryKey: ['ticks', scope.key, period, to],
    queryFn: () => {
      const times = { from: new Date(from).toISOString(), to: new Date(to).toISOString() };
      return management().get('/history/ticks', { query: { ...scope.query, ...times, buckets: length / bar } });
    },
    placeholderData: keepPreviousData,
  });
  const empty = (_: unknown, index: number) => {
    return { at: new Date(from + index * bar).toISOString(), published: 0, failed: 0, in_doubt: 0 };
  };
  return (
    <HourChart
      title={m.chart[period]}
      minutes={data?.buckets ?? Array.from({ length: length / bar }, empty)}
      nameOf={period === 'day' ? format.time : (at) => `${format.weekday(at)} ${format.day(at)}`}
      choice={choice}
    />
  );
};
