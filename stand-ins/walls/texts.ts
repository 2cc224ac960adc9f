import type { Trouble } from '../kit/troubles.js';

/** Languages of the walls. */
export type WallLanguage = 'en' | 'ru';

/** The texts of a page of walls. The browser's script gets those that it needs. */
export interface WallTexts {
  readonly allWalls: string;
  readonly whatReadersSee: string;
  readonly live: string;
  readonly offline: string;
  readonly nothing: string;
  readonly newest: string;
  readonly channels: string;
  readonly today: string;
  /** Notes below a post. */
  readonly notes: Readonly<Record<string, string>>;
  readonly break: string;
  readonly breakText: string;
  readonly broken: string;
  readonly mend: string;
  readonly inConsole: string;
  readonly notChanged: string;
  /** Name of each trouble, and what to expect. */
  readonly troubles: Readonly<Record<Trouble, readonly [name: string, text: string]>>;
  readonly photos: string;
  readonly photosText: string;
}

/** Texts by language. */
export const WALL_TEXTS: Readonly<Record<WallLanguage, WallTexts>> = {
  en: {
    allWalls: 'All walls',
    whatReadersSee: 'what readers see',
    live: 'live',
    offline: 'no connection',
    nothing: 'Nothing has been posted here yet.',
    newest: 'To the newest post',
    channels: 'Channels',
    today: 'Today',
    notes: { deleted: 'deleted', pinned: 'pinned', edited: 'edited' },
    break: 'Break this network',
    breakText: 'Break it, send a post, and see in the console what becomes of it.',
    broken: 'Broken:',
    mend: 'Mend it',
    inConsole: 'See it in the console',
    notChanged: 'Not changed: reload the page and try again.',
    troubles: {
      token: ['Wrong token', 'It refuses the token. The channel needs you, and its posts wait.'],
      limits: ['Limits', 'It asks for a pause. Posts are sent again later.'],
      outage: ['Outage', 'It cannot be reached. Posts are tried five times, with longer and longer waits.'],
      slow: ['Slow', 'Every call takes 8 seconds. Posts arrive late.'],
      unclear: ['Unclear answer', 'It publishes the post, but its answer is lost. You are asked whether it is there.'],
    },
    photos: 'Photos to try',
    photosText: 'Copy an address into a post. They work without the Internet.',
  },
  ru: {
    allWalls: 'Все стены',
    whatReadersSee: 'что видят читатели',
    live: 'обновляется',
    offline: 'нет связи',
    nothing: 'Здесь пока ничего не опубликовано.',
    newest: 'К новому посту',
    channels: 'Каналы',
    today: 'Сегодня',
    notes: { deleted: 'удалён', pinned: 'закреплён', edited: 'изменён' },
    break: 'Сломать эту сеть',
    breakText: 'Сломайте сеть, отправьте пост и посмотрите в консоли, что с ним будет.',
    broken: 'Сломано:',
    mend: 'Починить',
    inConsole: 'Посмотреть в консоли',
    notChanged: 'Не получилось: обновите страницу и попробуйте ещё раз.',
    troubles: {
      token: ['Неверный токен', 'Сеть не принимает токен. Канал ждёт вас, а его посты ждут канал.'],
      limits: ['Лимиты', 'Сеть просит подождать. Посты будут отправлены снова позже.'],
      outage: ['Сеть недоступна', 'Сеть не отвечает. Пост будет отправлен до пяти раз, паузы растут.'],
      slow: ['Медленно', 'Каждый вызов длится 8 секунд. Посты приходят с опозданием.'],
      unclear: ['Неясный ответ', 'Пост опубликован, но ответ потерян. Вас спросят, вышел ли он.'],
    },
    photos: 'Фото для пробы',
    photosText: 'Вставьте адрес в пост. Они работают без Интернета.',
  },
};
