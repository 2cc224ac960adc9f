import { useCallback, useMemo, useState } from 'react';
import { management } from '../../api/management.js';
import { type TimeSearch } from '../../app/search.js';
import { useIsPhone } from '../../components/use-is-phone.js';
import { type Scope, useScope } from '../../session/session.js';
import { serverNow, useNow } from '../../time/server-clock.js';
import { type EventFilter, findNextEvent, findPreviousEvent, useTicks } from './data.js';
import type { SliderProps } from './moment-slider.js';
import { isInside, type Span, SPANS, type TimeWindow, windowAround, windowCentred } from './window.js';

type Navigate = (to: { readonly search: (before: TimeSearch) => TimeSearch; readonly replace: true }) => Promise<void>;

/** A notice that there are no more events in that direction. */
type Notice = 'noEarlier' | 'noLater' | null;

/** The moment, the window, and the functions that move them. The moment and the window length are kept in the URL. */
export interface Travel {
  /** The selected moment, in ms since 1970; null for now. */
  readonly at: number | null;
  readonly span: Span;
  readonly window: TimeWindow;
  /** The period for which event counts are fetched: the window and, on phones, a margin on both sides. */
  readonly loaded: TimeWindow;
  readonly notice: Notice;
  readonly slider: SliderProps;
  readonly setSpan: (span: Span) => void;
  readonly openEvent: (id: string | undefined) => void;
  readonly openEventAt: (id: string, at: number) => void;
  readonly setFilter: (filter: EventFilter) => void;
}

/** A moment within this many ms of now counts as now, unless it is the time of an event. */
const PRESENT_MS = 1_500;

/** Returns the time machine's state, derived from the URL, and the functions that change it. */
export const useTravel = (search: TimeSearch, navigate: Navigate): Travel => {
  const scope = useScope();
  const now = useNow(1000);
  const [notice, setNotice] = useState<Notice>(null);
  const span = search.span ?? 'hours';
  const at = search.at === undefined ? null : Date.parse(search.at);
  const from = search.from === undefined ? null : Date.parse(search.from);
  // Every response includes the time of the very first event, so one small request is enough to find it.
  const day = Math.floor(now / 86_400_000) * 86_400_000;
  const firstAt = useTicks({ from: day, to: day + 86_400_000 }, 1).data?.first_at ?? null;
  const first = firstAt === null ? null : Date.parse(firstAt);
  const steady = useSteadyWindow(at ?? now, span, now, first);
  const isCentred = useIsPhone();
  const { window, loaded } = useMemo(
    () => (isCentred ? windowCentred(at ?? now, span, now, first) : { window: steady, loaded: steady }),
    [isCentred, at, now, span, first, steady],
  );

  const change = useCallback(
    (changes: TimeSearch): void => void navigate({ search: (before) => ({ ...before, ...changes }), replace: true }),
    [navigate],
  );
  const goTo = useCallback(
    (time: number, more: TimeSearch = {}, tolerance = PRESENT_MS): void => {
      setNotice(null);
      const isPresent = time >= serverNow() - tolerance;
      change({ ...more, at: isPresent ? undefined : new Date(Math.round(time)).toISOString() });
    },
    [change],
  );
  const slider = useMemo((): SliderProps => {
    const present = at ?? serverNow();
    const step = async (by: 'events' | 'people', direction: 1 | -1): Promise<void> => {
      const found =
        by === 'people'
          ? await findPersonsChange(scope, present, direction)
          : direction < 0
            ? await findPreviousEvent(scope, present)
            : await findNextEvent(scope, present, serverNow());
      if (found === null) setNotice(direction < 0 ? 'noEarlier' : 'noLater');
      else goTo(found, {}, 0);
    };
    return {
      window,
      at: present,
      from,
      isCentred,
      onAt: goTo,
      onFrom: (time) => change({ from: time === null ? undefined : new Date(time).toISOString() }),
      onStep: (by, direction) => void step(by, direction),
      onWindow: (direction) => goTo(Math.min(serverNow(), present + direction * (window.to - window.from))),
      onFirst: () => first !== null && goTo(first),
      onPan: (time) => goTo(Math.max(first ?? time, time)),
      onNow: () => change({ at: undefined }),
    };
  }, [at, from, window, isCentred, scope, first, goTo, change]);
  return {
    at,
    span,
    window,
    loaded,
    notice,
    slider,
    setSpan: (next) => change({ span: next }),
    openEvent: (id) => change({ event: id }),
    setFilter: ({ kind, thing, by }) => change({ kind, thing, by, event: undefined }),
    openEventAt: (id, time) => goTo(time, { event: id }, 0),
  };
};

/** Keeps the window in place as long as it contains the moment, so that nothing moves under the pointer. */
const useSteadyWindow = (at: number, span: Span, now: number, firstAt: number | null): TimeWindow => {
  const next = windowAround(at, span, now, firstAt);
  const [kept, setKept] = useState({ span, window: next });
  const isOld = kept.window.to < now && isInside(kept.window, now - SLACK_MS);
  const isKept = kept.span === span && SPANS[span] !== null && isInside(kept.window, at) && !isOld;
  if (isKept || (kept.span === span && isSame(kept.window, next))) return kept.window;
  setKept({ span, window: next });
  return next;
};

const isSame = (a: TimeWindow, b: TimeWindow): boolean => a.from === b.from && a.to === b.to;

/** A window whose end is less than this many ms in the past follows the current time. */
const SLACK_MS = 60_000;

/**
 * Returns the time of the last change by a person before a given time (-1) or of the first change after it (1); null if
 * there is none.
 */
const findPersonsChange = async (scope: Scope, at: number, step: 1 | -1): Promise<number | null> => {
  const iso = (time: number): string => new Date(time).toISOString();
  const range = step < 0 ? { from: iso(0), to: iso(at) } : { from: iso(at + 1), to: iso(serverNow() + 1) };
  const { changes } = await management().get('/history/ticks', { query: { ...scope.query, ...range, buckets: 1 } });
  const change = step < 0 ? changes.at(-1) : changes[0];
  return change ? Date.parse(change.at) : null;
};
