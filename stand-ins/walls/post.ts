import type { LedgerButton, LedgerEntry } from '../kit/ledger-entry.js';
import { EXTERNAL, formatText, safeHref } from './format-text.js';
import type { VisibleMedium, VisibleMessage } from './readers-view.js';
import { element, toHtml, type WallElement, type WallNode } from './wall-node.js';

/** The parts of a post that differ between the walls and the console's previews. */
interface PostFrame {
  /** Name of the channel. */
  readonly author: string;
  /** True for a post that readers no longer see. */
  readonly isDeleted?: boolean;
  /** Additional attributes of the post's element. */
  readonly attributes?: WallElement['attributes'];
  /** Returns null to leave a medium out. */
  readonly showMedium: (medium: VisibleMedium) => WallNode | null;
  /** The line below the text: views and time. */
  readonly footer: readonly WallNode[];
  readonly words?: PostWords;
}

/** Interface text inside a post, as opposed to the author's text. */
interface PostWords {
  readonly inReplyTo: (messageId: string) => string;
  /** Tooltip for hidden text. */
  readonly hidden: string;
}

const ENGLISH: PostWords = { inReplyTo: (messageId) => `in reply to ${messageId}`, hidden: 'Hidden: click to see' };

/** Returns one message as readers see it: media, formatted text, footer and buttons. */
export const postElement = (message: VisibleMessage, frame: PostFrame): WallElement => {
  const { author, isDeleted = false, attributes = {}, showMedium, footer, words = ENGLISH } = frame;
  const media = message.media.map(showMedium).filter((node) => node !== null);
  const { text, entities, reply_to: replyTo, buttons } = message;
  return element('article', { class: isDeleted ? 'post deleted' : 'post', ...attributes }, [
    element('div', { class: 'bubble' }, [
      ...(media.length > 0 ? [element('div', { class: 'media' }, media)] : []),
      element('div', { class: 'body' }, [
        element('div', { class: 'author', 'data-initial': [...author][0] ?? '' }, [author]),
        ...(replyTo === null ? [] : [element('div', { class: 'reply' }, [words.inReplyTo(replyTo)])]),
        ...(text === '' ? [] : [element('div', { class: 'text' }, formatText(text, entities, words.hidden))]),
        element('footer', {}, footer),
      ]),
    ]),
    ...(buttons.length > 0 ? [element('div', { class: 'buttons' }, buttons.map(showRow))] : []),
  ]);
};

const showRow = (row: readonly LedgerButton[]): WallElement => element('div', { class: 'row' }, row.map(showButton));

const showButton = ({ text, url }: LedgerButton): WallElement => {
  const href = safeHref(url);
  const label = element('span', {}, [text]);
  return href === null
    ? element('span', { class: 'button' }, [label])
    : element('a', { class: 'button', href, ...EXTERNAL }, [label, element('i', { 'aria-hidden': 'true' }, ['↗'])]);
};

interface PostView {
  readonly views: number;
  /** Path prefix of media files. */
  readonly mediaBase: string;
  readonly isDeleted: boolean;
  readonly isEdited: boolean;
  readonly isPinned: boolean;
}

/** Renders one message on a wall as HTML. */
export const renderPost = (entry: LedgerEntry, { views, mediaBase, isDeleted, isEdited, isPinned }: PostView): string =>
  toHtml([
    postElement(entry, {
      author: entry.channel_title,
      isDeleted,
      attributes: {
        id: `p-${entry.seq}`,
        'data-seq': String(entry.seq),
        'data-message': entry.message_id,
        'data-day': entry.at.slice(0, 10),
      },
      showMedium: (medium) => showMedium(medium, mediaBase),
      footer: [
        ...notes({ deleted: isDeleted, pinned: isPinned && !isDeleted, edited: isEdited && !isDeleted }),
        element('span', { class: 'views', title: 'Views' }, [EYE, formatCount(views)]),
        element('a', { class: 'id', href: `#p-${entry.seq}`, title: `Message ${entry.message_id}` }, [
          element('time', { datetime: entry.at }, [entry.at.slice(11, 16)]),
        ]),
      ],
    }),
  ]);

const notes = (said: Readonly<Record<string, boolean>>): WallElement[] =>
  Object.keys(said).flatMap((note) => (said[note] ? [element('span', { class: 'note' }, [note])] : []));

const EYE = element('svg', { viewBox: '0 0 20 14', 'aria-hidden': 'true' }, [
  element('path', {
    d: 'M10 1C5.5 1 2.3 4.3 1 7c1.3 2.7 4.5 6 9 6s7.7-3.3 9-6c-1.3-2.7-4.5-6-9-6Z',
    fill: 'none',
    stroke: 'currentColor',
    'stroke-width': '1.7',
  }),
  element('circle', { cx: '10', cy: '7', r: '2.6', fill: 'currentColor' }),
]);

const showMedium = ({ type, file, url, name, bytes }: VisibleMedium, mediaBase: string): WallNode | null => {
  const size = bytes > 0 ? ` · ${(bytes / 1_048_576).toFixed(1)} MB` : '';
  const src = file === null ? safeHref(url ?? '') : `${mediaBase}/${file}`;
  // The file was accepted, but was too large to store.
  if (url === null && file === null) return element('span', { class: 'file' }, [`${name || type}${size}`]);
  if (src === null) return null;
  if (type === 'photo') return element('img', { src, alt: 'photo', loading: 'lazy' });
  if (type === 'video') return element('video', { src, controls: '', preload: 'metadata' });
  if (type === 'audio') return element('audio', { src, controls: '', preload: 'none' });
  return element('a', { class: 'file', href: src, ...EXTERNAL }, [`${name || 'file'}${size}`]);
};

const formatCount = (count: number): string => {
  if (count < 1_000) return String(count);
  return count < 1_000_000 ? `${(count / 1_000).toFixed(1)}K` : `${(count / 1_000_000).toFixed(1)}M`;
};

/**
 * Colours for posts, light first, then dark; the element's `color-scheme` selects one. A network's theme replaces some
 * of them. Text has a contrast ratio of at least 4.5.
 */
export const POST_COLOURS = String.raw`
  --accent: light-dark(#1b74b8, #6ab3f3); --ink: light-dark(#0f1419, #eef3f7); --soft: light-dark(#5b6975, #9aa8b6);
  --bubble: light-dark(#ffffff, #1f2a35); --meta: light-dark(#64737f, #8fa0af); --code: light-dark(#eef3f7, #16202a);
  --code-ink: light-dark(#a92e61, #f08cb8); --shade: light-dark(rgb(38 66 79 / 16%), rgb(0 0 0 / 35%));
  --over: light-dark(rgb(36 62 70 / 69%), rgb(255 255 255 / 12%)); --over-ink: light-dark(#fff, #e8f0f6);
  --chip: light-dark(#e9eff4, #26313c);
  --ground-1: light-dark(#cfe3c9, #14202b); --ground-2: light-dark(#a9cfd0, #0f1a22);
  --ground-3: light-dark(#d9dfae, #182733); --ground-4: light-dark(#8fbfb8, #0d151c);
`;

/** Style sheet for posts on walls and in the console's previews. Sizes are relative to the surrounding font size. */
export const POST_STYLE = String.raw`
/* Most themes only change the colours of the background; a theme with --ground replaces it entirely. */
.posts {
  background: var(--ground, radial-gradient(60% 45% at 12% 8%, var(--ground-3), transparent 70%),
    radial-gradient(60% 50% at 92% 22%, var(--ground-2), transparent 70%),
    radial-gradient(70% 50% at 80% 96%, var(--ground-3), transparent 70%),
    radial-gradient(60% 50% at 8% 88%, var(--ground-4), transparent 70%), var(--ground-1));
}
.post { align-self: flex-start; width: fit-content; min-width: 160px; max-width: min(100%, 520px); }
.bubble { border-radius: 15px 15px 15px 5px; background: var(--bubble); box-shadow: 0 1px 1.5px var(--shade); overflow: hidden; }
.body { padding: 7px 12px 6px; }
.author { font-size: 0.93em; font-weight: 620; color: light-dark(hsl(var(--hue) 60% 30%), hsl(var(--hue) 75% 70%)); overflow-wrap: anywhere; }
.text { white-space: pre-wrap; overflow-wrap: anywhere; }
/* The direction of each paragraph follows its own text. */
:is(.text, .text blockquote, .author, .reply, .button span) { unicode-bidi: plaintext; }
.text a, .tag { color: var(--accent); text-decoration: none; }
.text a:hover { text-decoration: underline; }
.text code { padding: 0.5px 3px; border-radius: 4px; font: 0.92em/1.4 ui-monospace, 'SF Mono', Menlo, 'DejaVu Sans Mono', monospace; color: var(--code-ink); background: var(--code); }
.text pre { margin: 5px 0; padding: 8px 11px; border-radius: 8px; border-left: 3px solid var(--accent); background: var(--code); overflow-x: auto; white-space: pre; }
.text pre code { padding: 0; color: inherit; background: none; font-size: 0.87em; }
.text pre[data-language]::before { content: attr(data-language); display: block; margin-bottom: 3px; font-size: 0.8em; font-weight: 620; color: var(--accent); }
.text blockquote {
  position: relative; margin: 4px 0; padding: 4px 26px 4px 10px; border-radius: 6px; border-left: 3px solid var(--accent);
  background: color-mix(in srgb, var(--accent) 10%, transparent); font-size: 0.94em;
}
.text blockquote::after { content: '”'; position: absolute; right: 8px; top: 0; font: 700 20px/1.2 Georgia, serif; color: var(--accent); }
.text blockquote.expandable:not(.open) { max-height: 5em; overflow: hidden; cursor: pointer; -webkit-mask-image: linear-gradient(#000 60%, transparent); mask-image: linear-gradient(#000 60%, transparent); }
.spoiler { border-radius: 4px; color: transparent; cursor: pointer; background: repeating-conic-gradient(var(--meta) 0 9%, transparent 0 18%) 0 0 / 5px 5px; transition: color 0.2s; }
.spoiler * { color: inherit; }
.spoiler.seen, .spoiler:focus-visible { color: inherit; background: color-mix(in srgb, var(--meta) 18%, transparent); }
.reply { margin: 3px 0; padding-left: 8px; border-left: 3px solid var(--accent); font-size: 0.87em; color: var(--soft); }
.body footer { display: flex; justify-content: flex-end; align-items: center; gap: 7px; margin-top: 2px; font-size: max(11px, 0.8em); color: var(--meta); }
.post.deleted :is(.text, .text *) { text-decoration: line-through; }
.post.deleted :is(.text, .media, .buttons, .reply) { opacity: 0.5; }
.note { font-weight: 600; }
.views { display: inline-flex; align-items: center; gap: 4px; }
.views svg { width: 15px; height: 11px; }
.id { color: inherit; text-decoration: none; }
.post:has(.media) { width: min(100%, 440px); }
/* Photos fill the rows of an album, whatever their aspect ratios. */
.media { display: flex; flex-wrap: wrap; gap: 2px; }
.media > * { flex: 1 1 30%; min-width: 0; }
.media:is(:has(> :nth-child(3):last-child), :has(> :nth-child(4):last-child)) > * { flex-basis: 45%; }
.media:has(> :nth-child(3):last-child) > :first-child { flex-basis: 100%; }
.media img, .media video { display: block; min-height: 60px; max-height: 420px; object-fit: cover; background: var(--code); }
.media:has(> :nth-child(5)) > * { max-height: 220px; }
.media > :is(audio, .file) { flex-basis: 100%; padding: 8px; }
.file { padding: 10px 12px; color: var(--accent); font-weight: 600; text-decoration: none; overflow-wrap: anywhere; }
.buttons { display: grid; gap: 4px; margin-top: 4px; }
.row { display: grid; grid-auto-flow: column; grid-auto-columns: minmax(0, 1fr); gap: 4px; }
.button {
  position: relative; padding: 0.53em 18px; border-radius: 9px; text-align: center; font-size: 0.94em; font-weight: 600;
  color: var(--over-ink); background: var(--over); text-decoration: none; backdrop-filter: blur(6px);
}
.button:hover { filter: brightness(1.08); }
.button span { display: block; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.row:has(> :nth-child(5)) .button { padding: 0.53em 3px; font-size: 0.74em; }
.row:has(> :nth-child(5)) .button i { display: none; }
.button i { position: absolute; right: 6px; top: 3px; font-size: 10px; font-style: normal; opacity: 0.85; }
/* Cards: author, text, media, actions. */
[data-layout='cards'] .post { width: min(100%, 560px); align-self: center; }
[data-layout='cards'] .bubble { display: flex; flex-direction: column; border-radius: 12px; }
[data-layout='cards'] .body { display: contents; }
[data-layout='cards'] .author {
  order: 1; display: flex; align-items: center; gap: 10px; padding: 0.8em 16px 4px; color: var(--accent);
}
[data-layout='cards'] .author::before {
  content: attr(data-initial); flex: none; display: grid; place-items: center; width: 2.6em; height: 2.6em; border-radius: 50%;
  color: #fff; background: linear-gradient(hsl(var(--hue) 72% 66%), hsl(calc(var(--hue) + 18) 66% 50%));
}
[data-layout='cards'] .text { order: 2; padding: 6px 16px 10px; }
[data-layout='cards'] .reply { order: 2; margin: 3px 16px; }
[data-layout='cards'] .media { order: 3; }
[data-layout='cards'] .body footer { order: 4; margin: 0; padding: 9px 16px; }
[data-layout='cards'] .body footer::before {
  content: var(--like); margin-right: auto; padding: 3px 12px; border-radius: 999px; font-size: max(11px, 0.87em); font-weight: 600;
  color: var(--soft); background: var(--chip); white-space: pre;
}
`;
