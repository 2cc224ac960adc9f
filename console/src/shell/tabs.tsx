import { Link } from '@tanstack/react-router';
import { useOverview } from '../api/overview.js';
import { navigationMessages as m } from '../app/navigation.js';
import { Icon } from '../components/icon.js';
import { countBadges } from './badges.js';

/** The screens that have a tab on phones. */
export const TABS = [
  { to: '/', name: 'overview', icon: 'overview' },
  { to: '/timeline', name: 'timeline', icon: 'timeline' },
  { to: '/compose', name: 'compose', icon: 'compose' },
  { to: '/time', name: 'time', icon: 'timeMachine' },
  { to: '/more', name: 'more', icon: 'more' },
] as const;

/** The navigation bar at the bottom of the screen on phones. */
export const Tabs = () => {
  const badges = countBadges(useOverview().data);
  return (
    <nav className="tabs" aria-label={m.screens}>
      {TABS.map(({ to, name, icon }) => (
        <Link key={to} to={to} activeOptions={{ exact: to === '/', includeSearch: false }}>
          <Icon name={icon} size={20} />
          {m[name]}
          {(badges[to] ?? 0) > 0 && <sup>{badges[to]}</sup>}
        </Link>
      ))}
    </nav>
  );
};
