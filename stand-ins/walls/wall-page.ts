import { type Trouble, TROUBLES } from '../kit/troubles.js';
import { HUE_RULES, hueOf } from './format-text.js';
import { POST_COLOURS, POST_STYLE } from './post.js';
import { themeCss, type WallTheme } from './readers-view.js';
import { WALL_TEXTS, type WallLanguage, type WallTexts } from './texts.js';
import { escapeHtml } from './wall-node.js';
import { PANEL_STYLE } from './wall-panel.js';
import { WALL_SCRIPT } from './wall-script.js';

/** Style sheet for a page of walls: messenger channels, light or dark like the system, for phones and desktops. */
const WALL_STYLE = String.raw`
:root { color-scheme: light dark; ${POST_COLOURS}
  --bar: light-dark(#ffffff, #1c242d); --line: light-dark(#e3e9ee, #10161c); --page: light-dark(#eef2f5, #0e141a);
}
* { box-sizing: border-box; margin: 0; }
html { height: 100%; -webkit-text-size-adjust: 100%; }
body {
  height: 100dvh; display: flex; flex-direction: column; overflow: hidden; color: var(--ink); background: var(--page);
  font: 15px/1.4 -apple-system, BlinkMacSystemFont, 'Segoe UI', Roboto, 'Helvetica Neue', 'DejaVu Sans', Arial,
    'Apple Color Emoji', 'Noto Color Emoji', sans-serif;
}
.bar { display: flex; align-items: baseline; gap: 10px; padding: 12px 18px 10px; background: var(--bar); }
.bar h1 { font-size: 18px; font-weight: 650; letter-spacing: -0.01em; }
.bar p { color: var(--soft); font-size: 13px; white-space: nowrap; overflow: hidden; text-overflow: ellipsis; }
.live { margin-left: auto; font-size: 12px; font-weight: 600; color: light-dark(#1a7a40, #5fcb8c); white-space: nowrap; }
.live::before {
  content: ''; display: inline-block; width: 7px; height: 7px; margin-right: 6px; border-radius: 50%;
  background: currentColor; animation: pulse 2.4s ease-in-out infinite;
}
.live.off { color: light-dark(#b3261e, #ffb4ab); }
@keyframes pulse { 50% { opacity: 0.35; } }
main { flex: 1; min-height: 0; display: flex; background: var(--line); gap: 1px; }
.source { flex: 1; min-width: 0; min-height: 0; display: flex; flex-direction: column; }
.single .source > h2 { display: none; }
.chips:has(.chip:only-child) { padding: 0; }
.chip:only-child { display: none; }
.source > h2 { padding: 10px 16px 6px; font-size: 14px; font-weight: 650; color: var(--accent); background: var(--bar); }
.chips {
  display: flex; gap: 6px; padding: 8px 14px 10px; overflow-x: auto; background: var(--bar); scrollbar-width: none;
  box-shadow: 0 1px 0 var(--line); z-index: 1;
}
.chips:empty { display: none; }
.chips::-webkit-scrollbar { display: none; }
.chip {
  flex: none; max-width: 220px; padding: 6px 12px; border: 0; border-radius: 999px; font: inherit; font-size: 13px;
  font-weight: 550; color: var(--soft); background: var(--chip); cursor: pointer; white-space: nowrap; overflow: hidden;
  text-overflow: ellipsis;
}
.chip[aria-pressed='true'] { color: light-dark(#fff, #0d151c); background: var(--accent); }
.channels { flex: 1; min-height: 0; display: flex; gap: 1px; overflow-x: auto; scroll-snap-type: x proximity; scrollbar-width: thin; scrollbar-color: var(--line) transparent; }
.nothing { display: none; margin: auto; padding: 24px; color: var(--soft); }
.nothing:first-child { display: block; }
.channel { position: relative; flex: 1 0 380px; min-width: 0; display: flex; flex-direction: column; scroll-snap-align: start; }
.many .channel { flex: 1 1 100%; }
.many .channel:not(.active) { display: none; }
.channel > header { display: flex; align-items: center; gap: 11px; padding: 8px 16px; background: var(--bar); }
.channel > header h3 { font-size: 15px; font-weight: 620; line-height: 1.25; }
.channel > header p { font-size: 13px; color: var(--soft); line-height: 1.25; }
.channel > header div { min-width: 0; }
.channel > header :is(h3, p) { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.avatar {
  flex: none; display: grid; place-items: center; width: 40px; height: 40px; border-radius: 50%; color: #fff;
  font-size: 15px; font-weight: 650; letter-spacing: 0.02em;
  background: linear-gradient(hsl(var(--hue) 72% 66%), hsl(calc(var(--hue) + 18) 66% 50%));
}
.posts {
  flex: 1; min-height: 0; overflow-y: auto; overscroll-behavior: contain; padding: 12px 14px 18px;
  scrollbar-width: thin; scrollbar-color: var(--over) transparent;
  display: flex; flex-direction: column; gap: 8px;
}
.posts::before { content: ''; margin-top: auto; }
.day { align-self: center; padding: 3px 10px; border-radius: 999px; font-size: 12.5px; font-weight: 600; color: var(--over-ink); background: var(--over); }
${POST_STYLE}
${PANEL_STYLE}
.post.fresh { animation: rise 0.28s ease-out; }
@keyframes rise { from { opacity: 0; transform: translateY(12px); } }
.post.found .bubble { outline: 2px solid var(--accent); }
:is(.chip, .channel > header h3) { unicode-bidi: plaintext; }
.newer {
  position: absolute; right: 16px; bottom: 16px; width: 42px; height: 42px; border: 0; border-radius: 50%; font-size: 20px;
  color: var(--soft); background: var(--bar); box-shadow: 0 2px 8px var(--shade); cursor: pointer;
}
.newer[hidden] { display: none; }
@media (max-width: 760px) {
  .channel { flex: 0 0 100%; }
  .channels { scroll-snap-type: x mandatory; scrollbar-width: none; }
  .many main { overflow-x: auto; scroll-snap-type: x mandatory; }
  .many .source { flex: 0 0 92%; scroll-snap-align: start; } /* the next one shows at the edge */
}
@media (prefers-reduced-motion: reduce) { * { animation: none !important; } }
`;

/** What the page of the demo has besides the walls. */
export interface DemoPanel {
  /** Sent with each change of a trouble, so that no other site can make one. */
  readonly key: string;
  readonly photos: readonly { readonly name: string; readonly url: string }[];
}

/**
 * Renders the walls of one or more networks as a page. A single network shows its channels side by side; several
 * networks show one channel each. The HTML contains the posts; a script adds new ones from each source's feed.
 * @param nonce nonce for the Content-Security-Policy, see `pageHeaders`
 */
export const renderWalls = (
  sources: readonly WallSource[],
  nonce: string,
  { language = 'en', demo }: { readonly language?: WallLanguage; readonly demo?: DemoPanel } = {},
): string => {
  const own = ` nonce="${escapeHtml(nonce)}"`;
  const texts = WALL_TEXTS[language];
  const themes = sources.map(({ feed: { platform }, theme = {} }) => themeCss(`[data-platform='${platform}']`, theme));
  const [first] = sources;
  const isSingle = sources.length === 1 && first !== undefined;
  const heading = isSingle ? first.feed.title : texts.allWalls;
  const { live, offline, today, notes, notChanged, troubles } = texts;
  const forScript = escapeHtml(JSON.stringify({ live, offline, today, notes, notChanged, troubles }));
  return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(heading)} · ${texts.whatReadersSee}</title>
<style${own}>${WALL_STYLE}${HUE_RULES}${themes.join('')}</style>
</head>
<body class="${isSingle ? 'single' : 'many'}" data-texts="${forScript}" data-key="${escapeHtml(demo?.key ?? '')}">
<header class="bar"><h1>${escapeHtml(heading)}</h1><p>${texts.whatReadersSee}</p>${demo ? renderPhotos(demo, texts) : ''}<span class="live" role="status">${live}</span></header>
<main>${sources.map((source) => renderSource(source, texts)).join('')}</main>
<template id="channel-template">${renderChannel({ key: '', title: '', handle: null }, false, [], texts)}</template>
<script${own}>${WALL_SCRIPT}</script>
</body>
</html>`;
};

const renderPhotos = ({ photos }: DemoPanel, texts: WallTexts): string =>
  `<details class="panel photos"><summary>${texts.photos}</summary><div class="sheet"><p>${texts.photosText}</p><ul>` +
  photos
    .map(({ url }) => `<li><img src="${escapeHtml(url)}" alt="" loading="lazy"><code>${escapeHtml(url)}</code></li>`)
    .join('') +
  `</ul></div></details>`;

const renderSource = (
  { feed, feedUrl, theme: { layout = 'messages' } = {}, trouble }: WallSource,
  texts: WallTexts,
): string => {
  const chips = feed.channels.map(renderChip).join('');
  const channels = feed.channels.map((channel, index) =>
    renderChannel(
      channel,
      index === 0,
      feed.posts.filter((post) => post.channel === channel.key),
      texts,
    ),
  );
  return (
    `<section class="source" data-platform="${escapeHtml(feed.platform)}" data-layout="${layout}" data-feed="${escapeHtml(feedUrl)}" ` +
    `data-next="${feed.next}"><h2>${escapeHtml(feed.title)}</h2>${trouble ? renderTrouble(trouble, texts) : ''}` +
    `<nav class="chips" aria-label="${texts.channels}: ${escapeHtml(feed.title)}">${chips}</nav>` +
    `<div class="channels">${channels.join('')}<p class="nothing">${texts.nothing}</p></div></section>`
  );
};

/** Renders the menu for breaking a network, and the bar that says what is broken. */
const renderTrouble = ({ url, now }: NonNullable<WallSource['trouble']>, texts: WallTexts): string => {
  const choices = TROUBLES.map((kind) => {
    const [name, text] = texts.troubles[kind];
    return `<li><button type="button" data-trouble="${kind}"><b>${name}</b> <span>${text}</span></button></li>`;
  });
  return (
    `<details class="panel break"><summary>${texts.break}</summary>` +
    `<div class="sheet"><p>${texts.breakText}</p><ul>${choices.join('')}</ul></div></details>` +
    `<div class="broken" role="status" data-url="${escapeHtml(url)}"${now === null ? ' hidden' : ''}><p>${texts.broken} ` +
    `<b>${now === null ? '' : texts.troubles[now][0]}</b></p><button type="button" data-trouble="">${texts.mend}</button>` +
    `<a href="/console" target="_blank" rel="noopener">${texts.inConsole}</a></div>`
  );
};

const renderChip = ({ key, title }: WallChannel): string =>
  `<button class="chip" type="button" data-channel="${escapeHtml(key)}">${escapeHtml(title)}</button>`;

const renderChannel = (
  channel: WallChannel,
  isActive: boolean,
  posts: WallFeed['posts'],
  { newest }: WallTexts,
): string => {
  const { key, title, handle } = channel;
  const name = handle === null ? key : `@${handle}`;
  return (
    `<section class="channel${isActive ? ' active' : ''}" data-channel="${escapeHtml(key)}" data-hue="${hueOf(key)}">` +
    `<header><span class="avatar" aria-hidden="true">${escapeHtml(initials(title))}</span>` +
    `<div><h3>${escapeHtml(title)}</h3><p>${escapeHtml(name)}</p></div></header>` +
    `<div class="posts">${renderPosts(posts)}</div>` +
    `<button class="newer" type="button" hidden aria-label="${newest}">↓</button></section>`
  );
};

/** Renders posts, with the date above the first post of each day. */
const renderPosts = (posts: WallFeed['posts']): string => {
  let day = '';
  return posts
    .map(({ html }) => {
      const itsDay = /data-day="([\d-]+)"/.exec(html)?.[1] ?? day;
      const separator =
        itsDay === day ? '' : `<div class="day"><time datetime="${itsDay}">${dayName(itsDay)}</time></div>`;
      day = itsDay;
      return separator + html;
    })
    .join('');
};

const dayName = (day: string): string =>
  new Date(`${day}T00:00:00Z`).toLocaleDateString('en', { day: 'numeric', month: 'long', timeZone: 'UTC' });

const initials = (title: string): string =>
  title
    .split(/\s+/)
    .slice(0, 2)
    .map((word) => [...word][0] ?? '')
    .join('')
    .toUpperCase();

/** A post as a wall shows it; `html` is complete and safe to insert. */
interface WallPost {
  readonly seq: number;
  /** Key of its channel. */
  readonly channel: string;
  readonly html: string;
}

/** A channel with posts on a wall. */
export interface WallChannel {
  readonly key: string;
  readonly title: string;
  /** Public name without `@`. */
  readonly handle: string | null;
}

/** Response to `GET /wall.json`: new and changed posts on one network's wall. */
export interface WallFeed {
  readonly platform: string;
  /** Display name of the network. */
  readonly title: string;
  /** Value of `?after=` for the next request. */
  readonly next: number;
  /** The channels of these posts, starting with the channel of the newest post. */
  readonly channels: readonly WallChannel[];
  /** Oldest first. */
  readonly posts: readonly WallPost[];
}

/** One network's wall on a page of walls. */
export interface WallSource {
  readonly feed: WallFeed;
  /** URL for new posts, to which the page adds `?after=`. */
  readonly feedUrl: string;
  readonly theme?: WallTheme;
  /** How the network can be broken: where to POST, and the trouble that it is in; absent if it cannot. */
  readonly trouble?: { readonly url: string; readonly now: Trouble | null };
}
