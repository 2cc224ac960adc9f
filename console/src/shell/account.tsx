import { lazy, Suspense, useState } from 'react';
import { AccountButton } from './account-button.js';

const loadMenu = () => import('./account-menu.js');
const AccountMenu = lazy(loadMenu);

/** Shows who is signed in. Opens the account menu, which is loaded when it is first needed. */
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
