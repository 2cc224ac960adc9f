import './tide.css';
import { Link, useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, useState } from 'react';
import { type Overview, useOverview } from '../api/overview.js';
import { BarChart } from '../components/bar-chart.js';
import { format } from '../i18n/format.js';
import { defineMessages } from '../i18n/messages.js';

const m = defineMessages({
  en: {
    label: 'The last 24 hours. Choose a moment to see how things were.',
    keys: 'Use the left and right arrow keys to choose a moment, and Enter to open it.',
    now: 'now',
  },
  ru: {
    label: 'Последние сутки. Выберите момент, чтобы увидеть, как всё было.',
    keys: 'Стрелки влево и вправо выбирают момент, Enter открывает его.',
    now: 'сейчас',
  },
});

const HEIGHT = 22;
/** How many bars Shift+arrow moves by: one hour. */
const LONG_STEP = 6;

/**
 * The last 24 hours, with a bar for every ten minutes. Clicking it, or moving with the arrow keys and pressing Enter,
 * opens the time machine at that moment.
 */
export const Tide = () => {
  const { data } = useOverview();
  const day = data?.day ?? [];
  if (!data || day.length === 0) return <div className="tide" />;
  return <LoadedTide day={day} now={data.at} />;
};

/** The moment under the pointer, or selected with the keyboard, as a fraction of the day. */
interface Chosen {
  readonly share: number;
  readonly isByKey: boolean;
}

const LoadedTide = ({ day, now }: { readonly day: Overview['day']; readonly now: string }) => {
  const navigate = useNavigate();
  const [chosen, setChosen] = useState<Chosen | null>(null);
  const from = Date.parse(day[0]?.at ?? now);
  const momentAt = (share: number): string => new Date(from + share * (Date.parse(now) - from)).toISOString();
  const onKeyDown = (event: KeyboardEvent): void => {
    const bars = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (bars === undefined) return;
    event.preventDefault();
    const share = (chosen?.share ?? 1) + ((event.shiftKey ? LONG_STEP : 1) * bars) / day.length;
    setChosen(share >= 1 ? null : { share: Math.max(0, share), isByKey: true });
  };
  const at = chosen && momentAt(chosen.share);
  return (
    <div className="tide">
      <TideBars day={day} />
      <TideAxis day={day} />
      {chosen && at !== null && (
        <span className="tide-chosen" style={{ left: `${chosen.share * 100}%` }} aria-hidden="true">
          {format.time(at)}
        </span>
      )}
      <Link
        className="tide-link"
        to="/time"
        search={at === null ? {} : { at }}
        title={m.label}
        aria-label={m.label}
        aria-description={m.keys}
        onPointerMove={(event) => setChosen({ share: shareAt(event), isByKey: false })}
        onPointerLeave={() => setChosen(null)}
        onBlur={() => setChosen(null)}
        onKeyDown={onKeyDown}
        onClick={(event) => {
          if (event.detail === 0) return; // from the keyboard
          event.preventDefault();
          void navigate({ to: '/time', search: { at: momentAt(shareAt(event)) } });
        }}
      />
      <span className="visually-hidden" role="status">
        {chosen?.isByKey && at !== null && format.time(at)}
      </span>
    </div>
  );
};

/** Returns the pointer's position as a fraction of an element's width. */
const shareAt = ({ clientX, currentTarget }: { readonly clientX: number; readonly currentTarget: Element }): number => {
  const { left, width } = currentTarget.getBoundingClientRect();
  return Math.min(1, Math.max(0, (clientX - left) / width));
};

/** Hours between labels. From the fraction `NOW_FROM` of the day on, the only label is "now". */
const LABEL_HOURS = 4;
const NOW_FROM = 0.9;
/** Fraction of the day after which there is no room for a label next to "now" on a phone. */
const LATE_FROM = 0.76;

const TideAxis = ({ day }: { readonly day: Overview['day'] }) => {
  const hourOf = (at: string | undefined): number => (at === undefined ? -1 : new Date(at).getHours());
  const labels = day.flatMap(({ at }, index) => {
    const hour = hourOf(at);
    const isFull = index > 0 && hour % LABEL_HOURS === 0 && hour !== hourOf(day[index - 1]?.at);
    const share = index / day.length;
    return isFull && share < NOW_FROM ? [{ at, share }] : [];
  });
  return (
    <span className="tide-axis" aria-hidden="true">
      {labels.map(({ at, share }, index) => (
        <span key={at} style={{ left: `${share * 100}%` }} {...(share > LATE_FROM && { className: 'late' })}>
          {index === 0 || hourOf(at) === 0 ? `${format.weekday(at)} ${format.time(at)}` : format.time(at)}
        </span>
      ))}
      <b className="tone-time">{m.now}</b>
    </span>
  );
};

const TideBars = ({ day }: { readonly day: Overview['day'] }) => {
  const most = Math.max(1, ...day.map(({ events }) => events));
  const heights = (of: 'quiet' | 'failed' | 'doubt'): readonly number[] =>
    day.map(({ events, failed, in_doubt: inDoubt }) => {
      if (of !== (failed > 0 ? 'failed' : inDoubt > 0 ? 'doubt' : 'quiet')) return 0;
      // The square root keeps quiet hours visible next to busy ones.
      return of === 'quiet' ? Math.max(1, Math.round(Math.sqrt(events / most) * (HEIGHT - 2))) : HEIGHT;
    });
  const series = (['quiet', 'failed', 'doubt'] as const).map((of) => [of, heights(of)] as const);
  return <BarChart className="tide-bars" height={HEIGHT} step={5} series={series} />;
};
