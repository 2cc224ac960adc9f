import './account.css';
import { lazy, Suspense, useState } from 'react';
import { AccountButton } from './account-button.js';

const loadMenu = () => import('./account-menu.js');
const AccountMenu = lazy(loadMenu);

/** The name of who is signed in. It opens the account's menu, which is loaded when it is first needed. */
export const Account = () => {
  const [isWanted, setIsWanted] = useState(false);
  if (!isWanted)
    return (
      <AccountButton onPointerEnter={() => void loadMenu()} onClick={() => setIsWanted(true)} aria-haspopup="menu" />
    );
  return (
    <Suspense fallback={<AccountButton />}>
      <AccountMenu />
    </Suspense>
  );
};
