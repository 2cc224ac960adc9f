import { getLocale, type Locale } from './messages.js';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const UNITS = {
  en: { d: 'd', h: 'h', min: 'min', s: 's', b: 'B', kb: 'KB', mb: 'MB', gb: 'GB' },
  ru: { d: 'д', h: 'ч', min: 'мин', s: 'с', b: 'Б', kb: 'КБ', mb: 'МБ', gb: 'ГБ' },
} as const;

/** Formats numbers, times and durations in one language. Times are local. */
export interface Format {
  readonly locale: Locale;
  /** `1,207` */
  readonly number: (value: number, maximumFractionDigits?: number) => string;
  /** `14:02` */
  readonly time: (at: Instant) => string;
  /** `14:02:07` */
  readonly seconds: (at: Instant) => string;
  /** `14:02:07.119` */
  readonly millis: (at: Instant) => string;
  /** `26 Nov` */
  readonly day: (at: Instant) => string;
  /** `26 Nov 2026` */
  readonly date: (at: Instant) => string;
  /** `Thu` */
  readonly weekday: (at: Instant) => string;
  /** `Thu 26 November` */
  readonly longDay: (at: Instant) => string;
  /** `27 November – 3 December` */
  readonly dayRange: (from: Instant, to: Instant) => string;
  /** `December 2026` */
  readonly month: (at: Instant) => string;
  /** The time if it is today, otherwise the day with the time: `14:02`, `25 Nov, 14:02`. */
  readonly moment: (at: Instant, now: number) => string;
  /** A duration in ms, in at most two units: `2 h 14 min`, `37 min`, `12 s`, `3 d 4 h`. */
  readonly duration: (ms: number) => string;
  /** A duration in ms that keeps the seconds below an hour, for settings: `1 min 30 s`. */
  readonly exact: (ms: number) => string;
  /** The time left in a countdown: `2:14` under an hour, otherwise `2 h 14 min`. */
  readonly countdown: (ms: number) => string;
  /** Bytes: `1.9 MB`. */
  readonly bytes: (bytes: number) => string;
  /** Milliseconds: `11 ms`, `1.2 s`; a duration from one minute on. */
  readonly latency: (ms: number) => string;
  /** `a, b and c` */
  readonly list: (items: readonly string[]) => string;
  /** `a, b or c` */
  readonly either: (items: readonly string[]) => string;
  /** A fraction as a percentage: `12.5 %`. */
  readonly percent: (fraction: number, maximumFractionDigits?: number) => string;
}

/** An ISO 8601 time as the API sends it, or ms since 1970. */
export type Instant = string | number;

const ms = (at: Instant): number => (typeof at === 'number' ? at : Date.parse(at));

const createFormat = (locale: Locale): Format => {
  const tag = locale === 'en' ? 'en-GB' : 'ru-RU'; // English with days before months and a 24-hour clock
  const dates = (options: Intl.DateTimeFormatOptions) => {
    const formatter = new Intl.DateTimeFormat(tag, options);
    return (at: Instant): string => {
      const value = ms(at);
      return Number.isNaN(value) ? '' : formatter.format(value);
    };
  };
  const ranges = new Intl.DateTimeFormat(tag, { day: 'numeric', month: 'long' });
  const unit = UNITS[locale];
  const numbers = new Map<number, Intl.NumberFormat>();
  const number = (value: number, maximumFractionDigits = 0): string => {
    let formatter = numbers.get(maximumFractionDigits);
    if (!formatter) {
      formatter = new Intl.NumberFormat(locale === 'en' ? 'en-US' : tag, { maximumFractionDigits });
      numbers.set(maximumFractionDigits, formatter);
    }
    return formatter.format(value);
  };
  const months = dates({ month: 'long', year: 'numeric' });
  const time = dates({ hour: '2-digit', minute: '2-digit' });
  const day = dates({ day: 'numeric', month: 'short' });
  const join = (big: number, bigUnit: string, small: number, smallUnit: string): string =>
    small > 0 ? `${big} ${bigUnit} ${small} ${smallUnit}` : `${big} ${bigUnit}`;
  const duration = (length: number): string => {
    const value = Math.max(0, length);
    if (value < MINUTE) return `${Math.floor(value / SECOND)} ${unit.s}`;
    if (value < HOUR) return `${Math.floor(value / MINUTE)} ${unit.min}`;
    if (value < DAY) return join(Math.floor(value / HOUR), unit.h, Math.floor((value % HOUR) / MINUTE), unit.min);
    return join(Math.floor(value / DAY), unit.d, Math.floor((value % DAY) / HOUR), unit.h);
  };
  return {
    locale,
    number,
    time,
    day,
    date: dates({ day: 'numeric', month: 'short', year: 'numeric' }),
    duration,
    exact: (value) =>
      value >= MINUTE && value < HOUR
        ? join(Math.floor(value / MINUTE), unit.min, Math.floor((value % MINUTE) / SECOND), unit.s)
        : duration(value),
    seconds: dates({ hour: '2-digit', minute: '2-digit', second: '2-digit' }),
    millis: dates({ hour: '2-digit', minute: '2-digit', second: '2-digit', fractionalSecondDigits: 3 }),
    weekday: dates({ weekday: 'short' }),
    longDay: dates({ weekday: 'short', day: 'numeric', month: 'long' }),
    dayRange: (from, to) => ranges.formatRange(ms(from), ms(to)),
    month: (at) => months(at).replace(/\sг\.$/, ''), // without the “г.”, because a full stop often follows
    moment: (at, now) => {
      const value = ms(at);
      return new Date(value).toDateString() === new Date(now).toDateString()
        ? time(value)
        : `${day(value)}, ${time(value)}`;
    },
    countdown: (rest) => {
      if (rest >= HOUR) return duration(rest);
      const total = Math.ceil(Math.max(0, rest) / SECOND);
      return `${Math.floor(total / 60)}:${String(total % 60).padStart(2, '0')}`;
    },
    bytes: (bytes) => {
      if (bytes < 1024) return `${bytes} ${unit.b}`;
      if (bytes < 1024 ** 2) return `${number(bytes / 1024, 1)} ${unit.kb}`;
      if (bytes < 1024 ** 3) return `${number(bytes / 1024 ** 2, 1)} ${unit.mb}`;
      return `${number(bytes / 1024 ** 3, 1)} ${unit.gb}`;
    },
    latency: (value) =>
      value < SECOND
        ? `${number(value)} ${locale === 'en' ? 'ms' : 'мс'}`
        : value < MINUTE
          ? `${number(value / SECOND, 1)} ${unit.s}`
          : duration(value),
    list: (items) => new Intl.ListFormat(tag, { type: 'conjunction' }).format(items),
    either: (items) => new Intl.ListFormat(tag, { type: 'disjunction' }).format(items),
    percent: (fraction, digits = 0) => `${number(fraction * 100, digits)} %`,
  };
};

const formats = new Map<Locale, Format>();

/** Returns the formatter for a language. Creates each formatter only once. */
export const getFormat = (locale: Locale): Format => {
  let format = formats.get(locale);
  if (!format) {
    format = createFormat(locale);
    formats.set(locale, format);
  }
  return format;
};

/** Formats in the language of the moment in which it is called. */
export const format = new Proxy({} as Format, { get: (_, key) => getFormat(getLocale())[key as keyof Format] });

/** A value in a sentence: console text, a name or text written by a user, or a time (ISO 8601). */
export type SentenceValue = string | { readonly name: string } | { readonly at: string };

/**
 * A sentence with placeholders and their values: `{name} is paused until {until}`. On the page, names and times have
 * their own elements.
 */
export interface Sentence {
  readonly text: string;
  readonly values: Readonly<Record<string, SentenceValue>>;
}

/** Creates a sentence from text with placeholders and the values for them. */
export const sentence = (text: string, values: Sentence['values'] = {}): Sentence => ({ text, values });

/**
 * Returns the parts of a sentence in order. A placeholder without a value is left as it is, so that the mistake is
 * visible.
 */
export const splitSentence = ({ text, values }: Sentence): readonly SentenceValue[] =>
  text
    .split(/(\{\w+\})/)
    .filter((part) => part !== '')
    .map((part) => (part.startsWith('{') ? values[part.slice(1, -1)] : undefined) ?? part);

/**
 * Returns a sentence as plain text, for tooltips and screen readers. Names are wrapped in invisible characters that
 * isolate their text direction.
 */
export const plainSentence = (given: Sentence, format: Format, now: number): string =>
  splitSentence(given)
    .map((part) => {
      if (typeof part === 'string') return part;
      return 'name' in part ? `\u2068${part.name}\u2069` : format.moment(part.at, now);
    })
    .join('');
