import './shell.css';
import { Link, Outlet, useLocation } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import { useOverview } from '../api/overview.js';
import { NAVIGATION, navigationMessages as names, OPERATOR_NAVIGATION } from '../app/navigation.js';
import { Icon } from '../components/icon.js';
import { Toasts } from '../components/toasts.js';
import { useLocale } from '../i18n/locale.js';
import { defineMessages } from '../i18n/messages.js';
import { useIsExpired, useSession } from '../session/session.js';
import { SignInForm } from '../session/sign-in-form.js';
import { Account } from './account.js';
import { countBadges } from './badges.js';
import { Footer } from './footer.js';
import { type Overlay, useKeys } from './keys.js';
import { OfflineBar } from './offline-bar.js';
import { Tabs } from './tabs.js';
import { Tide } from './tide.js';

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
  const badges = countBadges(useOverview().data);
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
          <ul key={index}>
            {group.map(({ to, name, icon }) => (
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
