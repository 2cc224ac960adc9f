import { byName, defineMessages } from '../i18n/messages.js';

const BRANDS = { telegram: 'Telegram', vk: 'VK', max: 'MAX' };

/** Names of the networks, and their names inside sentences: the Russian ones must not need another case there. */
const m = defineMessages({
  en: {
    titles: byName({ ...BRANDS, ok: 'Odnoklassniki' }),
    inText: byName({ ...BRANDS, ok: 'Odnoklassniki' }),
  },
  ru: {
    titles: byName({ ...BRANDS, ok: 'Одноклассники' }),
    inText: byName({ ...BRANDS, ok: 'ОК' }),
  },
});

/** Ids of the networks, in the order in which they are shown. */
export const NETWORKS = ['telegram', 'vk', 'max', 'ok'] as const;

/** Returns a network's human-readable name, for labels. */
export const networkTitle = (platform: string): string => m.titles[platform] ?? platform;

/** Returns a network's name for use inside a sentence. */
export const networkInText = (platform: string): string => m.inText[platform] ?? platform;

/** One glyph on a 16 × 16 grid, as SVG path data. Each part is optional. */
export interface IconShape {
  /** Strokes 1.5 wide. */
  readonly line?: string;
  /** Strokes 2 wide. */
  readonly bold?: string;
  /** Filled areas. */
  readonly solid?: string;
}

/** All glyphs of the console except the network logos. */
export const ICONS = {
  published: { solid: 'M8 1a7 7 0 1 0 0 14A7 7 0 0 0 8 1zm-.9 10.2L3.9 8l1.2-1.2 2 2 3.9-3.9 1.2 1.2z' },
  publishing: { line: 'M1.8 8a6.2 6.2 0 1 0 12.4 0a6.2 6.2 0 1 0 -12.4 0', solid: 'M8 3.6a4.4 4.4 0 0 1 0 8.8z' },
  waiting: { line: 'M1.8 8a6.2 6.2 0 1 0 12.4 0a6.2 6.2 0 1 0 -12.4 0M8 4.6V8l2.3 1.6' },
  paused: { line: 'M1.8 8a6.2 6.2 0 1 0 12.4 0a6.2 6.2 0 1 0 -12.4 0M6.4 5.9v4.2M9.6 5.9v4.2' },
  takenBack: { line: 'M5.6 2.8 2.4 6l3.2 3.2M2.4 6h7.2a3.8 3.8 0 0 1 0 7.6H6.2' },
  retrying: { line: 'M13.2 5.4A6 6 0 1 0 14 8.6M13.6 2.2v3.4h-3.4' },
  slowed: { line: 'M1.8 8a6.2 6.2 0 1 0 12.4 0a6.2 6.2 0 1 0 -12.4 0', bold: 'M5.2 8h.01M8 8h.01M10.8 8h.01' },
  onHold: {
    solid:
      'M8 1.2c.5 0 .9.2 1.1.7l6 11c.5.9-.1 1.9-1.1 1.9H2c-1 0-1.6-1-1.1-1.9l6-11c.2-.5.6-.7 1.1-.7zM7.2 5.6v4.2h1.6V5.6zm0 5.5v1.6h1.6v-1.6z',
  },
  inDoubt: {
    solid:
      'M7.1.9a1.3 1.3 0 0 1 1.8 0l6.2 6.2a1.3 1.3 0 0 1 0 1.8l-6.2 6.2a1.3 1.3 0 0 1-1.8 0L.9 8.9a1.3 1.3 0 0 1 0-1.8zM7.3 10.7v1.6h1.5v-1.6zM5.6 6.6h1.5c0-.7.4-1.1 1-1.1s.9.4.9.9c0 .5-.3.8-.8 1.2-.6.5-.9.9-.9 2h1.4c0-.6.2-.8.7-1.2.7-.5 1.2-1.1 1.2-2.1 0-1.3-1-2.2-2.5-2.2S5.6 5.1 5.6 6.6z',
  },
  failed: {
    solid:
      'M3.5 1.5h9a2 2 0 0 1 2 2v9a2 2 0 0 1-2 2h-9a2 2 0 0 1-2-2v-9a2 2 0 0 1 2-2zM5.7 4.6 4.6 5.7 6.9 8l-2.3 2.3 1.1 1.1L8 9.1l2.3 2.3 1.1-1.1L9.1 8l2.3-2.3-1.1-1.1L8 6.9z',
  },
  filtered: { line: 'M2 3h12L9.6 8.2V13l-3.2-1.6V8.2z' },
  dismissed: { line: 'M1.8 8a6.2 6.2 0 1 0 12.4 0a6.2 6.2 0 1 0 -12.4 0M3.7 12.3l8.6-8.6' },
  switchedOff: { line: 'M8 1.8v5.4M11.6 4a5.6 5.6 0 1 1-7.2 0' },
  brand: {
    line: 'M2.5 8h3M5.5 8C9 8 8 2.6 13 2.6M5.5 8C9 8 9 6.2 13 6.2M5.5 8C9 8 9 9.8 13 9.8M5.5 8C9 8 8 13.4 13 13.4',
    solid: 'M1 8a1.7 1.7 0 1 0 3.4 0a1.7 1.7 0 1 0 -3.4 0',
  },
  overview: { line: 'M2 13V8.5M6 13V3M10 13V6.5M14 13v-3' },
  timeline: {
    line: 'M2 4h7M12.5 4H14M2 8h3.5M9 8h5M2 12h9',
    solid: 'M9.5 4a1.5 1.5 0 1 0 3 0a1.5 1.5 0 1 0 -3 0M5.8 8a1.5 1.5 0 1 0 3 0a1.5 1.5 0 1 0 -3 0',
  },
  person: { line: 'M5.3 5.2a2.7 2.7 0 1 0 5.4 0a2.7 2.7 0 1 0 -5.4 0M2.8 14c0-2.8 2.2-4.4 5.2-4.4s5.2 1.6 5.2 4.4' },
  move: { line: 'M2 8h12M4.6 5.4 2 8l2.6 2.6M11.4 5.4 14 8l-2.6 2.6' },
  calendar: { line: 'M2.5 3.5h11v10h-11zM2.5 6.5h11M5.5 2v3M10.5 2v3', bold: 'M5.5 9.7h.01M8.2 9.7h.01' },
  compose: { line: 'M3 13l.6-3L11 2.6 13.4 5 6 12.4zM9.5 4.1l2.4 2.4' },
  channel: { line: 'M2.5 6.5v3h2l5.5 3.5V3L4.5 6.5zM12.5 6c.8 1.2.8 2.8 0 4' },
  project: { line: 'm8 2 6 3-6 3-6-3zM2 8l6 3 6-3M2 11l6 3 6-3' },
  endpoint: { line: 'M2 8h8M7 5l3 3-3 3M10 2.5h3.5v11H10' },
  webhook: { line: 'M6 2.5H2.5v11H6M6 8h8M11 5l3 3-3 3' },
  requests: { bold: 'M5.5 4H14M5.5 8H14M5.5 12H14M2.3 4h.01M2.3 8h.01M2.3 12h.01' },
  timeMachine: { line: 'M2.6 5.2A6.2 6.2 0 1 1 1.8 8M2.2 2.3v3.1h3.1M8 4.8V8l2.3 1.6' },
  projections: { line: 'M2.5 3.5h11v3h-11zM2.5 9.5h11v3h-11z' },
  owners: {
    line: 'M3.5 5.5a2.5 2.5 0 1 0 5 0a2.5 2.5 0 1 0 -5 0M1.8 13.5c0-2.5 1.9-4 4.2-4s4.2 1.5 4.2 4M10.5 3.2a2.5 2.5 0 0 1 0 4.6M12 9.9c1.4.5 2.2 1.8 2.2 3.6',
  },
  search: { line: 'M2.5 7a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0 -9 0M10.5 10.5l3.5 3.5' },
  chevronDown: { line: 'm4 6 4 4 4-4' },
  chevronUp: { line: 'm4 10 4-4 4 4' },
  chevronLeft: { line: 'm10 4-4 4 4 4' },
  chevronRight: { line: 'm6 4 4 4-4 4' },
  copy: { line: 'M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3' },
  external: { line: 'M9.5 2.5h4v4M13.5 2.5 7.5 8.5M11.5 9.5v4h-9v-9h4' },
  shield: { line: 'M8 1.7 13.5 3.7v4c0 3.3-2.3 5.6-5.5 6.7-3.2-1.1-5.5-3.4-5.5-6.7v-4zM5.6 8l1.8 1.8 3.2-3.4' },
  lock: { line: 'M3.5 7h9v6.5h-9zM5.3 7V4.8a2.7 2.7 0 0 1 5.4 0V7' },
  key: { line: 'M2.2 11a2.8 2.8 0 1 0 5.6 0a2.8 2.8 0 1 0 -5.6 0M7 9l6.5-6.5M11 5l2 2' },
  plus: { line: 'M8 3v10M3 8h10' },
  close: { line: 'm4 4 8 8M12 4l-8 8' },
  more: { bold: 'M3.5 8h.01M8 8h.01M12.5 8h.01' },
  check: { line: 'm3 8.5 3.5 3.5L13 4.5' },
  image: { line: 'M2 3h12v10H2zM2.5 11.5 6 8l3 3 2-2 3 3M10.5 6h.01' },
  imageLink: {
    line: 'M14 7.5V3H2v10h4M2.5 11.5 6 8l2 2M10.5 6h.01M9.8 13h3.4M10.6 11.2h-.4a1.8 1.8 0 0 0 0 3.6h.4M12.4 11.2h.4a1.8 1.8 0 0 1 0 3.6h-.4',
  },
  video: { line: 'M2 3.5h12v9H2zM6.8 6v4l3.4-2z' },
  audio: {
    line: 'M6 11.5V3.2l7-1.4v8.3M2.4 11.7a1.8 1.8 0 1 0 3.6 0a1.8 1.8 0 1 0-3.6 0M9.4 10.3a1.8 1.8 0 1 0 3.6 0a1.8 1.8 0 1 0-3.6 0',
  },
  button: { line: 'M2 5h12v6H2zM5.5 8h5' },
  anchor: {
    line: 'M6.3 3.5a1.7 1.7 0 1 0 3.4 0a1.7 1.7 0 1 0 -3.4 0M8 5.2V14M5.5 7.5h5M2.5 9.5c0 2.7 2.5 4.5 5.5 4.5s5.5-1.8 5.5-4.5',
  },
  bolt: { line: 'M9 1.8 3.5 9H8l-1 5.2L12.5 7H8z' },
  link: {
    line: 'M6.7 9.3a2.7 2.7 0 0 0 3.8 0l2.4-2.4a2.7 2.7 0 0 0-3.8-3.8l-.9.9M9.3 6.7a2.7 2.7 0 0 0-3.8 0L3.1 9.1a2.7 2.7 0 0 0 3.8 3.8l.9-.9',
  },
} satisfies Record<string, IconShape>;

export type IconName = keyof typeof ICONS;

/** The network logos, by the network ids that the API uses. */
export const NETWORK_MARKS = {
  telegram: {
    solid:
      'M1.6 7.5 14 2.4c.6-.2 1 .1.9.8l-2 9.9c-.2.8-.7.9-1.3.5L8.4 11.3l-1.6 1.5c-.4.4-.8.3-.9-.2l-.8-3.5 6.2-4.3-7.6 3.3-2.1-.1z',
  },
  vk: { bold: 'M1.5 4.5 4.5 11.5 7.5 4.5M9.5 4.5v7M14.3 4.5 9.7 8.3l4.9 3.2' },
  max: { bold: 'M3 13.6V8.2a5.1 5.1 0 1 1 3 4.5z' },
  ok: {
    bold: 'M5.7 4.3a2.3 2.3 0 1 0 4.6 0a2.3 2.3 0 1 0 -4.6 0M4.6 8.5c2 1.4 4.8 1.4 6.8 0M8 9.6l-3 3.6M8 9.6l3 3.6',
  },
} satisfies Record<string, IconShape>;
