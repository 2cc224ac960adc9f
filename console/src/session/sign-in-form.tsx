import './sign-in-form.css';
import { useState } from 'react';
import { GatewayError } from '../api/management.js';
import { BarChart } from '../components/bar-chart.js';
import { Button } from '../components/button.js';
import { Checkbox, Segmented, TextField } from '../components/controls.js';
import { Form } from '../components/form.js';
import { Icon } from '../components/icon.js';
import { defineMessages, LOCALES, setLocale, useLocale } from '../i18n/messages.js';
import { useHasBadLink, useWasIdle } from './session-end.js';
import { signIn } from './sign-in.js';

const m = defineMessages({
  en: {
    title: 'Post once, publish everywhere.',
    again: 'Sign in again to continue',
    againText: 'You were signed out, or your key was replaced. Your drafts are kept.',
    idle: 'You were signed out, because this tab was not used for 12 hours.',
    badLink:
      'This sign-in link was used already, or is too old. Enter your key, or ask the person who sent you the link for a new one.',
    remember: 'Remember this device for 30 days',
    key: 'Your key',
    signIn: 'Sign in',
    wrong: 'The gateway doesn’t recognize this key. If it was replaced, ask the operator for the new one.',
    tooMany: (seconds: number) => `Too many attempts. Try again in ${seconds} s.`,
    unreachable: 'The gateway isn’t responding. Check that it is running, then try again.',
    keeps:
      'The browser does not keep your key. You stay signed in, in all tabs, until you sign out, close the browser or do nothing for 12 hours. Do not choose to be remembered on a computer that others use.',
    which:
      'A key is a long word that contains _owner_ or _key_. You get it from the person who set this up or invited you. The operator’s key is printed when the gateway starts.',
    language: 'Language',
  },
  ru: {
    title: 'Один пост — во все каналы.',
    again: 'Войдите снова, чтобы продолжить',
    againText: 'Сеанс завершён, или ключ заменили. Черновики сохранены.',
    idle: 'Сеанс завершён: этой вкладкой не пользовались 12 часов.',
    badLink:
      'Эта ссылка для входа уже использована или устарела. Введите ключ или попросите новую ссылку у того, кто её прислал.',
    remember: 'Запомнить это устройство на 30 дней',
    key: 'Ваш ключ',
    signIn: 'Войти',
    wrong: 'Сервер не знает этот ключ. Если ключ заменили, попросите у оператора новый.',
    tooMany: (seconds: number) => `Слишком много попыток. Повторите через ${seconds} с.`,
    unreachable: 'Сервер не отвечает. Проверьте, что он запущен, и повторите.',
    keeps:
      'Браузер не хранит ваш ключ. Вход действует во всех вкладках, пока вы не выйдете, не закроете браузер или 12 часов ничего не будете делать. На чужом компьютере не просите запомнить устройство.',
    which:
      'Ключ — длинное слово, в котором есть _owner_ или _key_. Его даёт тот, кто всё настроил или пригласил вас. Ключ оператора печатается при запуске сервера.',
    language: 'Язык',
  },
});

const LANGUAGE_NAMES = { en: 'English', ru: 'Русский' } as const;

/** Asks for a key. `isAgain` is true if the form covers a screen because the gateway no longer accepts the key. */
export const SignInForm = ({ isAgain = false }: { readonly isAgain?: boolean }) => {
  const locale = useLocale();
  const wasIdle = useWasIdle();
  const hasBadLink = useHasBadLink();
  const [isRemembered, setIsRemembered] = useState(false);
  const [key, setKey] = useState('');
  const [error, setError] = useState<string | null>(null);
  const [isBusy, setIsBusy] = useState(false);
  const submit = async (): Promise<void> => {
    setIsBusy(true);
    setError(null);
    try {
      await signIn(key.trim(), isRemembered);
    } catch (failure) {
      const status = failure instanceof GatewayError ? failure.status : 0;
      const seconds = failure instanceof GatewayError ? (failure.retryAfter ?? 60) : 60;
      if (status === 401) setError(m.wrong);
      else if (status === 429) setError(m.tooMany(seconds));
      else setError(status === 0 ? m.unreachable : String(failure));
      setIsBusy(false);
    }
  };
  return (
    <div className={`sign-in ${isAgain ? 'over' : ''}`}>
      {!isAgain && (
        <header className="sign-in-language">
          <Segmented
            label={m.language}
            value={locale}
            options={LOCALES.map((value) => ({ value, label: LANGUAGE_NAMES[value] }))}
            onChange={setLocale}
          />
        </header>
      )}
      {!isAgain && <Bars />}
      <main className="sign-in-box">
        <div className="brand">
          <Icon name="brand" size={24} /> Crosspost
        </div>
        <h1>{isAgain ? m.again : m.title}</h1>
        {isAgain && <p className="secondary">{m.againText}</p>}
        {!isAgain && (wasIdle || hasBadLink) && (
          <p className="secondary" role="status">
            {hasBadLink ? m.badLink : m.idle}
          </p>
        )}
        <Form className="card" onSubmit={() => void submit()}>
          <TextField
            label={m.key}
            error={error}
            className="mono"
            type="password"
            autoFocus
            required
            value={key}
            onChange={setKey}
          />
          <Checkbox checked={isRemembered} onChange={(event) => setIsRemembered(event.target.checked)}>
            {m.remember}
          </Checkbox>
          <Button look="primary" type="submit" busy={isBusy}>
            {m.signIn}
          </Button>
        </Form>
        <ul className="sign-in-notes secondary">
          <li>
            <Icon name="lock" size={14} /> <span>{m.keeps}</span>
          </li>
          <li>
            <Icon name="key" size={14} /> <span>{m.which}</span>
          </li>
        </ul>
      </main>
    </div>
  );
};

const BARS = 144;
/** Bar heights in view box units: two waves with an irregular ripple. */
const heights = Array.from({ length: BARS }, (_, index) => {
  const wave = Math.cos((index / BARS) * Math.PI * 4 - 0.9);
  const ripple = Math.sin(index * 2.7) * 0.6 + Math.sin(index * 1.3) * 0.4;
  return Math.round(40 + wave * 18 + ripple * 7);
});

/** A decorative strip along the bottom that looks like a day of posts. */
const Bars = () => <BarChart className="sign-in-bars" height={96} step={5} series={[['', heights]]} />;
