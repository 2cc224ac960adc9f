import type { IconName } from '../components/icon.js';
import { defineMessages } from '../i18n/messages.js';

/** A screen in the navigation. */
export interface NavigationItem {
  readonly to: string;
  readonly name: keyof (typeof navigationMessages)['en'];
  readonly icon: IconName;
  /** Key to press after `g` to open the screen. */
  readonly key: string;
}

/** Index of the group of screens for programs that send posts. Only this group has a title. */
export const PROGRAM_GROUP = 2;

/** The groups of screens that everyone sees. */
export const NAVIGATION: readonly (readonly NavigationItem[])[] = [
  [
    { to: '/', name: 'overview', icon: 'overview', key: 'o' },
    { to: '/timeline', name: 'timeline', icon: 'timeline', key: 't' },
    { to: '/plan', name: 'plan', icon: 'calendar', key: 'l' },
    { to: '/compose', name: 'compose', icon: 'compose', key: 'n' },
  ],
  [
    { to: '/channels', name: 'channels', icon: 'channel', key: 'c' },
    { to: '/projects', name: 'projects', icon: 'project', key: 'p' },
    { to: '/people', name: 'people', icon: 'key', key: 'k' },
    { to: '/time', name: 'timeMachine', icon: 'timeMachine', key: 'm' },
  ],
  [
    { to: '/endpoints', name: 'endpoints', icon: 'endpoint', key: 'e' },
    { to: '/outputs', name: 'webhooks', icon: 'webhook', key: 'w' },
    { to: '/requests', name: 'requests', icon: 'requests', key: 'r' },
  ],
];

export const OPERATOR_NAVIGATION: readonly NavigationItem[] = [
  { to: '/owners', name: 'owners', icon: 'owners', key: 'u' },
  { to: '/projections', name: 'projections', icon: 'projections', key: 'v' },
];

export const navigationMessages = defineMessages({
  en: {
    overview: 'Overview',
    timeline: 'Timeline',
    plan: 'Plan',
    compose: 'Compose',
    channels: 'Channels',
    projects: 'Channel sets',
    endpoints: 'Endpoints',
    people: 'People',
    webhooks: 'Webhooks',
    requests: 'Requests',
    timeMachine: 'Time machine',
    more: 'More',
    owners: 'Owners',
    projections: 'Projections',
    connectProgram: 'Connect your program',
    screens: 'Screens',
  },
  ru: {
    overview: 'Обзор',
    timeline: 'Лента',
    plan: 'План',
    compose: 'Написать',
    channels: 'Каналы',
    projects: 'Наборы каналов',
    endpoints: 'Точки входа',
    people: 'Люди',
    webhooks: 'Вебхуки',
    requests: 'Запросы',
    timeMachine: 'Машина времени',
    more: 'Ещё',
    owners: 'Владельцы',
    projections: 'Проекции',
    connectProgram: 'Подключить программу',
    screens: 'Экраны',
  },
});
