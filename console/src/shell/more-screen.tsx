import './more-screen.css';
import { Link } from '@tanstack/react-router';
import { NAVIGATION, navigationMessages as m, OPERATOR_NAVIGATION } from '../app/navigation.js';
import { Card, PageHead } from '../components/card.js';
import { Icon } from '../components/icon.js';
import { useScreens } from '../session/rights.js';
import { useSession } from '../session/session.js';
import { Account } from './account.js';
import { Footer, TABS, useBadges } from './shell.js';

/** Links to the screens that have no tab on phones, and the account. */
export const MoreScreen = () => {
  const badges = useBadges();
  const isOperator = useSession()?.role === 'operator';
  const screens = [...NAVIGATION.flat(), ...(isOperator ? OPERATOR_NAVIGATION : [])];
  const items = useScreens()(screens).filter(({ to }) => !TABS.some((tab) => tab.to === to));
  return (
    <>
      <PageHead title={m.more} />
      <Account />
      <Card label={m.screens}>
        <ul className="more-list">
          {items.map(({ to, name, icon }) => (
            <li key={to}>
              <Link to={to}>
                <Icon name={icon} size={20} />
                {m[name]}
                {(badges[to] ?? 0) > 0 && <span className="badge">{badges[to]}</span>}
              </Link>
            </li>
          ))}
        </ul>
      </Card>
      <Footer />
    </>
  );
};
