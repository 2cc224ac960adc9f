import './footer.css';
import './offline-bar.css';
import './shell.css';
import { useQuery } from '@tanstack/react-query';
import { Link, Outlet, useLocation } from '@tanstack/react-router';
import { type ComponentProps, lazy, Suspense, useEffect, useRef, useState } from 'react';
import { useConnection } from '../api/connection.js';
import { management, queryClient } from '../api/management.js';
import { type Attention, countItems, useIsForYou, useOverview } from '../api/overview.js';
import { useIsOutdated } from '../api/release.js';
import { NAVIGATION, navigationMessages as names, OPERATOR_NAVIGATION, PROGRAM_GROUP } from '../app/navigation.js';
import { Button } from '../components/button.js';
import { Icon } from '../components/icon.js';
import { Toasts } from '../components/toasts.js';
import { format } from '../i18n/format.js';
import { defineMessages, useLocale } from '../i18n/messages.js';
import { useLiveMode } from '../live/live-updates.js';
import { useScreens } from '../session/rights.js';
import { noteRights, useIsExpired, useSession } from '../session/session.js';
import { SignInForm } from '../session/sign-in-form.js';
import { browserZone, offsetName, zoneTitle } from '../time/local-time.js';
import { useNow } from '../time/server-clock.js';
import { Account } from './account.js';
import { type Overlay, useKeys } from './keys.js';
import { Tide } from './tide.js';

/** Returns how many things need this person's attention, by the screen where they can be fixed. */
export const useBadges = (): Readonly<Record<string, number>> => {
  const overview = useOverview().data;
  const all = (overview?.attention ?? []).filter(useIsForYou());
  const count = (wanted: Attention['code']): number => countItems(all.filter(({ code }) => code === wanted));
  return {
    // Counted as in the overview's heading: each problem if one owner is shown, types of problems if all owners are.
    '/': overview?.owner ? countItems(all) : all.length,
    '/plan': count('approval_needed'),
    '/channels': count('channel_needs_attention'),
    '/endpoints': count('endpoint_disabled'),
    '/outputs': count('webhook_output_disabled'),
    '/projections': count('projection_stopped'),
  };
};

const footerTexts = defineMessages({
  en: { stream: 'Live', polling: 'Updates every 5 s', off: 'Not connected' },
  ru: { stream: 'На связи', polling: 'Обновление раз в 5 с', off: 'Нет связи' },
});

/** Shows whether the console gets live updates, and the gateway's time in the browser's time zone. */
export const Footer = () => {
  const locale = useLocale();
  const mode = useLiveMode();
  const now = useNow(1000);
  return (
    <div className="footer">
      <span className={`live ${mode}`}>{footerTexts[mode]}</span>
      <span>
        <b>{format.seconds(now)}</b> {zoneName(locale, now)}
      </span>
    </div>
  );
};

/** Returns the human-readable name of the browser's time zone: `Moscow, UTC+3`. */
const zoneName = (locale: string, now: number): string => {
  const title = zoneTitle(browserZone(), locale);
  const offset = offsetName(now, browserZone());
  if (title !== 'UTC') return `${title}, ${offset}`;
  return browserZone() === 'UTC' ? title : offset;
};

const offlineTexts = defineMessages({
  en: {
    lost: (time: string) => `No connection since ${time}.`,
    stale: 'You’re seeing data from that time. The console keeps trying.',
    now: 'Try now',
  },
  ru: {
    lost: (time: string) => `Связи нет с ${time}.`,
    stale: 'Показано то, что было тогда. Консоль продолжает попытки.',
    now: 'Попробовать сейчас',
  },
});

interface BarProps {
  readonly icon: ComponentProps<typeof Icon>['name'];
  readonly tone: ComponentProps<typeof Icon>['tone'];
  readonly title: string;
  readonly text: string;
  readonly action: string;
  readonly onAction: () => void;
}

/** A note above the screen, with what to do about it. */
const Bar = ({ icon, tone, title, text, action, onAction }: BarProps) => (
  <div className="offline" role="status">
    <Icon name={icon} tone={tone} />
    <span>
      <b>{title}</b> {text}
    </span>
    <Button size="small" onClick={onAction}>
      {action}
    </Button>
  </div>
);

/** Shows that the gateway is not responding, and since when. */
export const OfflineBar = () => {
  const { lostAt } = useConnection();
  if (lostAt === null) return null;
  const { lost, stale, now } = offlineTexts;
  const retry = () => void queryClient.invalidateQueries();
  return (
    <Bar
      icon="switchedOff"
      tone="warn"
      title={lost(format.seconds(lostAt))}
      text={stale}
      action={now}
      onAction={retry}
    />
  );
};

const releaseTexts = defineMessages({
  en: {
    outdated: 'The console has been updated.',
    reload: 'Reload',
    why: 'Reload the page, so that it offers what you may do now. Unfinished posts are kept.',
  },
  ru: {
    outdated: 'Консоль обновилась.',
    reload: 'Обновить',
    why: 'Обновите страницу: она покажет, что вам доступно. Недописанные посты сохранятся.',
  },
});

/** Offers to reload a tab that was opened before the gateway got a newer console. */
export const ReleaseBar = () => {
  if (!useIsOutdated()) return null;
  const { outdated, why, reload } = releaseTexts;
  return (
    <Bar icon="retrying" tone="time" title={outdated} text={why} action={reload} onAction={() => location.reload()} />
  );
};

/** The screens that have a tab on phones. */
export const TABS = [
  { to: '/', name: 'overview', icon: 'overview' },
  { to: '/timeline', name: 'timeline', icon: 'timeline' },
  { to: '/compose', name: 'compose', icon: 'compose' },
  { to: '/plan', name: 'plan', icon: 'calendar' },
  { to: '/more', name: 'more', icon: 'more' },
] as const;

/** The navigation bar at the bottom of the screen on phones. */
export const Tabs = () => {
  const badges = useBadges();
  return (
    <nav className="tabs" aria-label={names.screens}>
      {useScreens()(TABS).map(({ to, name, icon }) => (
        <Link key={to} to={to} activeOptions={{ exact: to === '/', includeSearch: false }}>
          <Icon name={icon} size={20} />
          {names[name]}
          {(badges[to] ?? 0) > 0 && <sup>{badges[to]}</sup>}
        </Link>
      ))}
    </nav>
  );
};

const Palette = lazy(() => import('./palette.js'));
const KeyList = lazy(() => import('./key-list.js'));

const PALETTE_KEY = navigator.platform.startsWith('Mac') ? '⌘K' : 'Ctrl K';

const m = defineMessages({
  en: { skip: 'Skip to the content', find: 'Search…' },
  ru: { skip: 'К содержимому', find: 'Найти, сделать…' },
});

/**
 * The frame of every screen: navigation, the tide, the command palette and messages. Shows the sign-in form if there is
 * no session.
 */
export const Shell = () => {
  const session = useSession();
  return session ? <SignedIn /> : <SignInForm />;
};

const SignedIn = () => {
  const isExpired = useIsExpired();
  const [overlay, setOverlay] = useState<Overlay>(null);
  useKeys(setOverlay);
  useFreshRights();
  const main = useRef<HTMLElement>(null);
  const { pathname } = useLocation();
  useScreenChange(pathname, main);
  return (
    <>
      <a className="skip-link" href="#main" onClick={(event) => (event.preventDefault(), main.current?.focus())}>
        {m.skip}
      </a>
      <div className="shell">
        <Side />
        <main className="main" id="main" ref={main} tabIndex={-1}>
          <div className="top">
            <Tide />
            <button
              type="button"
              className="find"
              aria-label={`${m.find} ${PALETTE_KEY}`}
              onClick={() => setOverlay('palette')}
            >
              <Icon name="search" />
              <span>{m.find}</span> <kbd>{PALETTE_KEY}</kbd>
            </button>
          </div>
          <OfflineBar />
          <ReleaseBar />
          <Suspense>
            <Outlet />
          </Suspense>
        </main>
      </div>
      <Tabs />
      <Toasts />
      <Suspense>
        {overlay === 'palette' && <Palette onClose={() => setOverlay(null)} />}
        {overlay === 'keys' && <KeyList onClose={() => setOverlay(null)} />}
      </Suspense>
      {isExpired && <SignInForm isAgain />}
    </>
  );
};

/** Keeps up to date what the person's key may do. */
const useFreshRights = (): void => {
  // A tab that was hidden may have missed a change.
  const get = () => management().get('/me');
  const me = useQuery({ queryKey: ['me'], queryFn: get, refetchOnWindowFocus: 'always' }).data;
  useEffect(() => {
    // What was refused before may be allowed now.
    if (me && noteRights(me.key))
      void queryClient.invalidateQueries({ predicate: ({ state }) => state.status === 'error' });
  }, [me]);
};

/** Moves focus to a newly opened screen's content, so that screen readers and Tab start there. */
const useScreenChange = (pathname: string, main: { readonly current: HTMLElement | null }): void => {
  const locale = useLocale();
  const shown = useRef(pathname);
  useEffect(() => {
    const item = [...NAVIGATION.flat(), ...OPERATOR_NAVIGATION].findLast(({ to }) => pathname.startsWith(to));
    document.title = item ? `${names[item.name]} · Crosspost` : 'Crosspost';
    if (shown.current === pathname) return;
    shown.current = pathname;
    main.current?.focus({ preventScroll: true });
  }, [pathname, main, locale]);
};

const Side = () => {
  const session = useSession();
  const badges = useBadges();
  const ofUse = useScreens();
  const groups = session?.role === 'operator' ? [...NAVIGATION, OPERATOR_NAVIGATION] : NAVIGATION;
  return (
    <aside className="side">
      <Link to="/" className="brand" aria-label="Crosspost">
        <Icon name="brand" size={20} />
        <span>Crosspost</span>
      </Link>
      <Account />
      <nav aria-label={names.screens}>
        {groups.map((group, index) => (
          <ul key={index} {...(index === PROGRAM_GROUP && { 'aria-label': names.connectProgram })}>
            {index === PROGRAM_GROUP && (
              <li className="nav-title" aria-hidden="true">
                {names.connectProgram}
              </li>
            )}
            {ofUse(group).map(({ to, name, icon }) => (
              <li key={to}>
                <Link to={to} activeOptions={{ exact: to === '/', includeSearch: false }} title={names[name]}>
                  <Icon name={icon} size={15} />
                  <span className="nav-name">{names[name]}</span>
                  {(badges[to] ?? 0) > 0 && <span className="badge">{badges[to]}</span>}
                </Link>
              </li>
            ))}
          </ul>
        ))}
      </nav>
      <Footer />
    </aside>
  );
};
