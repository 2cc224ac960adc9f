import type { Api } from '../api/management.js';
import { Icon, type IconName, type Tone } from '../components/icon.js';
import { Pill } from '../components/state-pill.js';
import { defineMessages, useMessages } from '../i18n/messages.js';

/** The publication as the API shows it. */
export type Publication = Api<'Publication'>;

/** A state as people see it: that of the API, and for a queued publication the reason why it waits. */
export type ShownState = keyof typeof LOOKS;

const LOOKS = {
  published: { icon: 'published', tone: 'ok' },
  publishing: { icon: 'publishing', tone: 'go' },
  waiting: { icon: 'waiting', tone: 'idle' },
  paused: { icon: 'paused', tone: 'idle' },
  slowed: { icon: 'slowed', tone: 'idle' },
  retrying: { icon: 'retrying', tone: 'warn' },
  in_doubt: { icon: 'inDoubt', tone: 'doubt' },
  on_hold: { icon: 'onHold', tone: 'warn' },
  failed: { icon: 'failed', tone: 'fail' },
  filtered: { icon: 'filtered', tone: 'idle' },
  dismissed: { icon: 'dismissed', tone: 'idle' },
} as const satisfies Readonly<Record<string, { readonly icon: IconName; readonly tone: Tone }>>;

const messages = defineMessages({
  en: {
    published: 'Published',
    publishing: 'Publishing',
    waiting: 'Waiting',
    paused: 'Paused',
    slowed: 'Slowed down',
    retrying: 'Trying again',
    in_doubt: 'In doubt',
    on_hold: 'On hold',
    failed: 'Failed',
    filtered: 'Filtered',
    dismissed: 'Dismissed',
  },
  ru: {
    published: 'Опубликован',
    publishing: 'Публикуется',
    waiting: 'Ждёт',
    paused: 'На паузе',
    slowed: 'Замедлен сетью',
    retrying: 'Новая попытка',
    in_doubt: 'Под вопросом',
    on_hold: 'Остановлен',
    failed: 'Не вышел',
    filtered: 'Отфильтрован',
    dismissed: 'Снят',
  },
});

const BY_RULE: Readonly<Record<string, ShownState>> = {
  project_pause: 'paused',
  channel_pause: 'paused',
  platform_limit: 'slowed',
  retry: 'retrying',
  needs_attention: 'on_hold',
  quota: 'on_hold',
};

/** Returns the state of a publication as people see it. */
export const shownState = ({
  state,
  waiting_for: waitingFor,
}: Pick<Publication, 'state' | 'waiting_for'>): ShownState => {
  if (state !== 'queued') return state;
  return BY_RULE[waitingFor?.rule ?? ''] ?? 'waiting';
};

/** Returns whether a publication waits for a person, so that no countdown can be given. */
export const needsPerson = ({ state, waiting_for: waitingFor }: Pick<Publication, 'state' | 'waiting_for'>): boolean =>
  state === 'in_doubt' || waitingFor?.rule === 'needs_attention' || waitingFor?.rule === 'quota';

/** Returns the words for the states. */
export const useStateNames = (): Readonly<Record<ShownState, string>> => useMessages(messages);

/** The state of a publication with its word. */
export const StatePill = ({ state }: { readonly state: ShownState }) => {
  const names = useStateNames();
  return <Pill {...LOOKS[state]}>{names[state]}</Pill>;
};

/** The state of a publication as a glyph; its word is heard and shown as its title. */
export const StateGlyph = ({ state, size = 16 }: { readonly state: ShownState; readonly size?: number }) => {
  const names = useStateNames();
  const { icon, tone } = LOOKS[state];
  return <Icon name={icon} tone={tone} size={size} label={names[state]} />;
};
