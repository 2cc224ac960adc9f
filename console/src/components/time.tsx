import './time.css';
import type { ReactNode } from 'react';
import { format, type Instant } from '../i18n/format.js';
import { defineMessages } from '../i18n/messages.js';
import { useNow } from '../time/server-clock.js';

const m = defineMessages({
  en: {
    due: 'due',
    needsYou: 'needs you',
    ago: (length: string) => `${length} ago`,
  },
  ru: {
    due: 'пора',
    needsYou: 'за вами',
    ago: (length: string) => `${length} назад`,
  },
});

const HOUR = 3_600_000;

/**
 * Countdown to a time, aligned with the gateway's clock: `2:14`, `2 h 14 min`, then "due". It shows seconds if less
 * than an hour is left. Screen readers announce only the end.
 */
export const Countdown = ({ until }: { readonly until: string }) => {
  const end = Date.parse(until);
  const now = useNow(1000);
  const rest = end - now;
  if (rest <= 0)
    return (
      <time className="countdown" dateTime={until} role="status">
        {m.due}
      </time>
    );
  const shown = rest < HOUR ? format.countdown(rest) : format.duration(rest);
  return (
    <time className="countdown" dateTime={until} title={format.moment(until, now)}>
      {shown}
    </time>
  );
};

/** Shown instead of a countdown when a person has to act. */
export const NeedsYou = () => <b className="tone-warn nowrap">{m.needsYou}</b>;

/** Time since a given time: `2 h 14 min`. */
export const Age = ({ since, ago = false }: { readonly since: string; readonly ago?: boolean }) => {
  const length = format.duration(useNow(1000) - Date.parse(since));
  return (
    <time className="countdown" dateTime={since}>
      {ago ? m.ago(length) : length}
    </time>
  );
};

interface MomentProps {
  readonly at: Instant;
  readonly form?: 'moment' | 'time' | 'seconds' | 'millis' | 'day';
  readonly children?: ReactNode;
}

/**
 * A time; by default, the time of day, preceded by the day unless it is today. The tooltip shows the day and the exact
 * time.
 */
export const Moment = ({ at, form = 'moment', children }: MomentProps) => {
  const now = useNow(60_000);
  const iso = typeof at === 'number' ? new Date(at).toISOString() : at;
  const text = form === 'moment' ? format.moment(at, now) : format[form](at);
  return (
    <time dateTime={iso} title={`${format.longDay(at)}, ${format.millis(at)}`}>
      {children ?? text}
    </time>
  );
};
