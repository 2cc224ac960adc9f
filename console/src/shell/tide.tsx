import { Link, useNavigate } from '@tanstack/react-router';
import { useOverview, type Overview } from '../api/overview.js';
import { useFormat } from '../i18n/format.js';
import { defineMessages, useMessages } from '../i18n/messages.js';
import './tide.css';

const messages = defineMessages({
  en: { label: 'The last 24 hours. Choose a moment to see how things were.', now: 'now' },
  ru: { label: 'Последние сутки. Выберите момент, чтобы увидеть, как всё было.', now: 'сейчас' },
});

const HEIGHT = 22;
const STEP = 5;

/** The last 24 hours, a bar for each ten minutes. A click opens the time machine at that moment. */
export const Tide = () => {
  const m = useMessages(messages);
  const format = useFormat();
  const navigate = useNavigate();
  const { data } = useOverview();
  const day = data?.day ?? [];
  const first = day[0];
  const last = day.at(-1);
  if (!first || !last) return <div className="tide" />;
  const momentAt = (event: { readonly clientX: number; readonly currentTarget: HTMLElement }): string => {
    const { left, width } = event.currentTarget.getBoundingClientRect();
    const share = Math.min(1, Math.max(0, (event.clientX - left) / width));
    const from = Date.parse(first.at);
    return new Date(from + share * (Date.parse(data?.at ?? last.at) - from)).toISOString();
  };
  const hours = day.filter((_, index) => index % 24 === 0).map(({ at }) => at);
  return (
    <Link
      className="tide"
      to="/time"
      title={m.label}
      aria-label={m.label}
      search={{}}
      onClick={(event) => {
        // From the keyboard there is no place to read a moment from: the time machine opens at the present.
        if (event.detail === 0) return;
        event.preventDefault();
        void navigate({ to: '/time', search: { at: momentAt(event) } });
      }}
    >
      <TideBars day={day} />
      <span className="tide-axis" aria-hidden="true">
        {hours.map((at, index) => (
          <span key={at}>{index === 0 ? `${format.day(at)}, ${format.time(at)}` : format.time(at)}</span>
        ))}
        <b className="tone-time">{m.now}</b>
      </span>
    </Link>
  );
};

const TideBars = ({ day }: { readonly day: Overview['day'] }) => {
  const most = Math.max(1, ...day.map(({ events }) => events));
  const bar = (index: number, height: number): string => `M${index * STEP + 2} ${HEIGHT}v${-Math.max(1, height)}`;
  const paths = { quiet: '', failed: '', doubt: '' };
  day.forEach(({ events, failed, in_doubt: inDoubt }, index) => {
    // The square root keeps quiet hours visible beside busy ones.
    const height = Math.round(Math.sqrt(events / most) * (HEIGHT - 2));
    if (failed > 0) paths.failed += bar(index, HEIGHT);
    else if (inDoubt > 0) paths.doubt += bar(index, HEIGHT);
    else paths.quiet += bar(index, events === 0 ? 1 : height);
  });
  return (
    <svg viewBox={`0 0 ${day.length * STEP} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
      <path d={paths.quiet} className="tide-quiet" />
      <path d={paths.failed} className="tide-failed" />
      <path d={paths.doubt} className="tide-doubt" />
    </svg>
  );
};
