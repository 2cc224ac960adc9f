import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { management } from '../api/management.js';
import { readAll } from '../api/things.js';
import { setTheme, THEMES, useTheme } from '../app/theme.js';
import { MenuItem, MenuLabel, MenuSeparator, OpenMenu } from '../components/radix-menu.js';
import { defineMessages, LOCALES, setLocale, useLocale } from '../i18n/messages.js';
import { setSession, useSession } from '../session/session.js';
import { signOut } from '../session/session-end.js';
import { AccountButton } from './account-button.js';

const SignIns = lazy(() => import('./sign-ins.js'));

const m = defineMessages({
  en: {
    allOwners: 'All owners',
    showOwner: 'Show the channels of',
    language: 'Language',
    theme: 'Theme',
    themes: { auto: 'System', light: 'Light', dark: 'Dark' },
    signIns: 'Where you are signed in…',
    signOut: 'Sign out',
  },
  ru: {
    allOwners: 'Все владельцы',
    showOwner: 'Показать каналы владельца',
    language: 'Язык',
    theme: 'Тема',
    themes: { auto: 'Как в системе', light: 'Светлая', dark: 'Тёмная' },
    signIns: 'Где выполнен вход…',
    signOut: 'Выйти',
  },
});

const LANGUAGE_NAMES = { en: 'English', ru: 'Русский' } as const;

/** The menu for language, theme, sign-ins and sign-out; operators can also select an owner. It opens as soon as it has loaded. */
export default function AccountMenu() {
  const isOperator = useSession()?.role === 'operator';
  const [showsSignIns, setShowsSignIns] = useState(false);
  return (
    <>
      <OpenMenu align="start" isOpen trigger={<AccountButton />}>
        {isOperator && <OwnerChoice />}
        <AccountChoices />
        <MenuSeparator />
        <MenuItem icon="shield" onSelect={() => setShowsSignIns(true)}>
          {m.signIns}
        </MenuItem>
        <MenuItem icon="external" onSelect={signOut}>
          {m.signOut}
        </MenuItem>
      </OpenMenu>
      {showsSignIns && (
        <Suspense>
          <SignIns onClose={() => setShowsSignIns(false)} />
        </Suspense>
      )}
    </>
  );
}

/** Menu items for selecting the language and the theme. */
const AccountChoices = () => {
  const locale = useLocale();
  const theme = useTheme();
  return (
    <>
      <MenuLabel>{m.language}</MenuLabel>
      {LOCALES.map((each) => (
        <MenuItem key={each} isChecked={each === locale} onSelect={() => setLocale(each)}>
          {LANGUAGE_NAMES[each]}
        </MenuItem>
      ))}
      <MenuLabel>{m.theme}</MenuLabel>
      {THEMES.map((each) => (
        <MenuItem key={each} isChecked={each === theme} onSelect={() => setTheme(each)}>
          {m.themes[each]}
        </MenuItem>
      ))}
    </>
  );
};

/** Menu items for selecting whose resources an operator sees. */
const OwnerChoice = () => {
  const session = useSession();
  const owners = useQuery({
    queryKey: ['owners'],
    queryFn: () => readAll((page) => management().get('/owners', { query: page })),
  });
  if (!session) return null;
  const choose = (owner: { readonly id: string; readonly name: string } | null): void =>
    setSession({ ...session, owner });
  return (
    <>
      <MenuLabel>{m.showOwner}</MenuLabel>
      <MenuItem isChecked={session.owner === null} onSelect={() => choose(null)}>
        {m.allOwners}
      </MenuItem>
      {(owners.data ?? []).map(({ id, name }) => (
        <MenuItem key={id} isChecked={session.owner?.id === id} onSelect={() => choose({ id, name })}>
          <bdi className="cut">{name}</bdi>
        </MenuItem>
      ))}
      <MenuSeparator />
    </>
  );
};
