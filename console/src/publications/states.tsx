import { Icon, type IconName, Pill, type Tone } from '../components/icon.js';
import { defineMessages } from '../i18n/messages.js';
import type { ShownState } from './shown-state.js';

export { needsPerson, type Publication, type ShownState, shownState } from './shown-state.js';

const LOOKS = {
  published: { icon: 'published', tone: 'ok' },
  publishing: { icon: 'publishing', tone: 'go' },
  planned: { icon: 'calendar', tone: 'time' },
  needs_approval: { icon: 'person', tone: 'warn' },
  waiting: { icon: 'waiting', tone: 'idle' },
  paused: { icon: 'paused', tone: 'idle' },
  slowed: { icon: 'slowed', tone: 'idle' },
  retrying: { icon: 'retrying', tone: 'warn' },
  in_doubt: { icon: 'inDoubt', tone: 'doubt' },
  on_hold: { icon: 'onHold', tone: 'warn' },
  failed: { icon: 'failed', tone: 'fail' },
  filtered: { icon: 'filtered', tone: 'idle' },
  confirmed: { icon: 'published', tone: 'ok' },
  cancelled: { icon: 'dismissed', tone: 'idle' },
  dismissed: { icon: 'dismissed', tone: 'idle' },
  withdrawing: { icon: 'takenBack', tone: 'go' },
  withdrawn: { icon: 'takenBack', tone: 'idle' },
  withdraw_failed: { icon: 'failed', tone: 'fail' },
} as const satisfies Readonly<Record<ShownState, { readonly icon: IconName; readonly tone: Tone }>>;

/** The names of the states. */
export const stateNames = defineMessages({
  en: {
    published: 'Published',
    publishing: 'Publishing',
    planned: 'Planned',
    needs_approval: 'Needs approval',
    waiting: 'Waiting',
    paused: 'Paused',
    slowed: 'Slowed down',
    retrying: 'Trying again',
    in_doubt: 'In doubt',
    on_hold: 'On hold',
    failed: 'Failed',
    filtered: 'Filtered',
    confirmed: 'Published (confirmed)',
    cancelled: 'Cancelled',
    dismissed: 'Dismissed',
    withdrawing: 'Being taken back',
    withdrawn: 'Taken back',
    withdraw_failed: 'Not taken back',
    confirmedBy: (name: string) => `Published (confirmed by ${name})`,
  },
  ru: {
    published: 'Опубликован',
    publishing: 'Публикуется',
    planned: 'Запланирован',
    needs_approval: 'Ждёт одобрения',
    waiting: 'Ждёт',
    paused: 'На паузе',
    slowed: 'Замедлен сетью',
    retrying: 'Новая попытка',
    in_doubt: 'Под вопросом',
    on_hold: 'Остановлен',
    failed: 'Не вышел',
    filtered: 'Отфильтрован',
    confirmed: 'Опубликован (подтверждено)',
    cancelled: 'Отменён',
    dismissed: 'Снят',
    withdrawing: 'Отзывается',
    withdrawn: 'Отозван',
    withdraw_failed: 'Не отозван',
    confirmedBy: (name: string) => `Опубликован (подтверждение: ${name})`,
  },
});

/** Returns the glyph and the colour of a state. */
export const stateLook = (state: ShownState): { readonly icon: IconName; readonly tone: Tone } => LOOKS[state];

interface StatePillProps {
  readonly state: ShownState;
  /** Who confirmed that the publication was published; null if unknown. */
  readonly by?: string | null;
}

/** A publication's state as a glyph and a word. */
export const StatePill = ({ state, by = null }: StatePillProps) => (
  <Pill {...LOOKS[state]}>{state === 'confirmed' && by !== null ? stateNames.confirmedBy(by) : stateNames[state]}</Pill>
);

interface StateGlyphProps {
  readonly state: ShownState;
  readonly size?: number;
  readonly isDecoration?: boolean;
}

/** A publication's state as a glyph. Screen readers read its word, unless the word is next to it. */
export const StateGlyph = ({ state, size = 16, isDecoration = false }: StateGlyphProps) => {
  const { icon, tone } = LOOKS[state];
  return <Icon name={icon} tone={tone} size={size} {...(!isDecoration && { label: stateNames[state] })} />;
};
