import './sign-ins.css';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type Api, GatewayError, management } from '../api/management.js';
import { Button } from '../components/button.js';
import { Dialog } from '../components/dialog.js';
import { useSave } from '../components/form.js';
import { SentenceText } from '../components/sentence.js';
import { Loaded } from '../components/states.js';
import { Age } from '../components/time.js';
import { toast } from '../components/toasts.js';
import { sentence } from '../i18n/format.js';
import { defineMessages, pluralEn, pluralRu } from '../i18n/messages.js';
import { readDevice } from '../session/device.js';

const m = defineMessages({
  en: {
    title: 'Where you are signed in',
    text: 'All sign-ins with your key. End those that you do not recognize, and replace the key if someone else has it.',
    device: (browser: string, system: string) => `${browser} on ${system}`,
    unknown: 'Unknown device',
    thisDevice: 'This device',
    used: 'Used',
    remembered: 'remembered until {at}',
    end: 'Sign out',
    endOf: (device: string) => `Sign out: ${device}`,
    endOthers: 'Sign out everywhere else',
    ended: (count: number) => `${count} ${pluralEn(count, 'sign-in', 'sign-ins')} ended.`,
  },
  ru: {
    title: 'Где выполнен вход',
    text: 'Все входы с вашим ключом. Завершите те, которых не узнаёте, и замените ключ, если он мог попасть к другому человеку.',
    device: (browser: string, system: string) => `${browser}, ${system}`,
    unknown: 'Неизвестное устройство',
    thisDevice: 'Это устройство',
    used: 'Использован',
    remembered: 'запомнен до {at}',
    end: 'Завершить',
    endOf: (device: string) => `Завершить вход: ${device}`,
    endOthers: 'Завершить все остальные',
    ended: (count: number) =>
      `${pluralRu(count, 'Завершён', 'Завершено', 'Завершено')} ${count} ${pluralRu(count, 'вход', 'входа', 'входов')}.`,
  },
});

type SignIn = Api<'Session'>;

const deviceOf = ({ user_agent: userAgent }: SignIn): string => {
  const { browser, system } = readDevice(userAgent);
  return browser !== null && system !== null ? m.device(browser, system) : (browser ?? system ?? m.unknown);
};

/** Ends a sign-in; one that has ended is no failure. */
const end = async (id: string): Promise<void> => {
  try {
    await management().delete('/sessions/{id}', { path: { id } });
  } catch (error) {
    if (!(error instanceof GatewayError) || error.status !== 404) throw error;
  }
};

/** The devices that are signed in with the session's key. Each of the others can be signed out, or all of them. */
export default function SignIns({ onClose }: { readonly onClose: () => void }) {
  const queries = useQueryClient();
  const signIns = useQuery({
    queryKey: ['sessions'],
    queryFn: async () => (await management().get('/sessions')).items,
    staleTime: 0,
  });
  const endAll = async (ids: readonly string[]): Promise<void> => {
    for (const id of ids) await end(id);
    await queries.invalidateQueries({ queryKey: ['sessions'] });
    toast(m.ended(ids.length));
  };
  const others = (signIns.data ?? []).filter(({ is_current: isCurrent }) => !isCurrent).map(({ id }) => id);
  const { save: endOthers, isBusy } = useSave(() => endAll(others));
  return (
    <Dialog title={m.title} description={m.text} isOpen onClose={onClose}>
      <Loaded query={signIns} rows={2}>
        {(all) => (
          <ul className="sign-in-list" aria-label={m.title}>
            {all
              .toSorted((a, b) => Number(b.is_current) - Number(a.is_current))
              .map((each) => (
                <SignInRow key={each.id} signIn={each} onEnd={() => endAll([each.id])} />
              ))}
          </ul>
        )}
      </Loaded>
      {others.length > 0 && (
        <div className="dialog-actions">
          <Button busy={isBusy} onClick={endOthers}>
            {m.endOthers}
          </Button>
        </div>
      )}
    </Dialog>
  );
}

interface SignInRowProps {
  readonly signIn: SignIn;
  readonly onEnd: () => Promise<void>;
}

const SignInRow = ({ signIn, onEnd }: SignInRowProps) => {
  const { is_current: isCurrent, is_remembered: isRemembered, used_at: usedAt, expires_at: at } = signIn;
  const { save: endIt, isBusy } = useSave(onEnd);
  const device = deviceOf(signIn);
  return (
    <li>
      <div>
        <b className="cut">{device}</b>
        <span className="tertiary">
          {isCurrent ? (
            m.thisDevice
          ) : (
            <>
              {m.used} <Age since={usedAt} ago />
            </>
          )}
          {isRemembered && (
            <>
              {' · '}
              <SentenceText of={sentence(m.remembered, { at: { at } })} />
            </>
          )}
        </span>
      </div>
      {!isCurrent && (
        <Button size="small" busy={isBusy} aria-label={m.endOf(device)} onClick={endIt}>
          {m.end}
        </Button>
      )}
    </li>
  );
};
