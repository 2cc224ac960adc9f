import { escapeHtml } from './escape-html.js';
import type { WallChannel, WallFeed, WallSource } from './feed.js';
import { HUE_RULES, hueOf } from './format-text.js';
import { themeCss } from './theme.js';
import { WALL_SCRIPT } from './wall-script.js';
import { WALL_STYLE } from './wall-style.js';

/**
 * Renders the walls of one or more networks as a page. A single network shows its channels side by side; several
 * networks show one channel each. The HTML contains the posts; a script adds new ones from each source's feed.
 * @param nonce nonce for the Content-Security-Policy, see `pageHeaders`
 */
export const renderWalls = (sources: readonly WallSource[], nonce: string): string => {
  const own = ` nonce="${escapeHtml(nonce)}"`;
  const themes = sources.map(({ feed: { platform }, theme = {} }) => themeCss(`[data-platform='${platform}']`, theme));
  const [first] = sources;
  const isSingle = sources.length === 1 && first !== undefined;
  const heading = isSingle ? first.feed.title : 'All walls';
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(heading)} · what readers see</title>
<style${own}>${WALL_STYLE}${HUE_RULES}${themes.join('')}</style>
</head>
<body class="${isSingle ? 'single' : 'many'}">
<header class="bar"><h1>${escapeHtml(heading)}</h1><p>what readers see</p><span class="live" role="status">live</span></header>
<main>${sources.map(renderSource).join('')}</main>
<template id="channel-template">${renderChannel({ key: '', title: '', handle: null }, false, [])}</template>
<script${own}>${WALL_SCRIPT}</script>
</body>
</html>`;
};

const renderSource = ({ feed, feedUrl, theme: { layout = 'messages' } = {} }: WallSource): string => {
  const chips = feed.channels.map(renderChip).join('');
  const channels = feed.channels.map((channel, index) =>
    renderChannel(
      channel,
      index === 0,
      feed.posts.filter((post) => post.channel === channel.key),
    ),
  );
  return (
    `<section class="source" data-platform="${escapeHtml(feed.platform)}" data-layout="${layout}" data-feed="${escapeHtml(feedUrl)}" ` +
    `data-next="${feed.next}"><h2>${escapeHtml(feed.title)}</h2><nav class="chips" aria-label="Channels">${chips}</nav>` +
    `<div class="channels">${channels.join('')}<p class="nothing">Nothing has been posted here yet.</p></div></section>`
  );
};

const renderChip = ({ key, title }: WallChannel): string =>
  `<button class="chip" type="button" data-channel="${escapeHtml(key)}">${escapeHtml(title)}</button>`;

const renderChannel = (channel: WallChannel, isActive: boolean, posts: WallFeed['posts']): string => {
  const { key, title, handle } = channel;
  const name = handle === null ? key : `@${handle}`;
  return (
    `<section class="channel${isActive ? ' active' : ''}" data-channel="${escapeHtml(key)}" data-hue="${hueOf(key)}">` +
    `<header><span class="avatar" aria-hidden="true">${escapeHtml(initials(title))}</span>` +
    `<div><h3>${escapeHtml(title)}</h3><p>${escapeHtml(name)}</p></div></header>` +
    `<div class="posts">${renderPosts(posts)}</div>` +
    `<button class="newer" type="button" hidden aria-label="To the newest post">↓</button></section>`
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
