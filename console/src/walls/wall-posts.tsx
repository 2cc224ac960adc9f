import {
  createElement,
  type KeyboardEvent,
  type MouseEvent,
  type ReactNode,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { createPortal } from 'react-dom';
import { READERS_VIEWS } from '../../../stand-ins/readers-views.js';
import { HUE_RULES, hueOf } from '../../../stand-ins/walls/format-text.js';
import { postElement } from '../../../stand-ins/walls/post.js';
import { POST_COLOURS, POST_STYLE } from '../../../stand-ins/walls/post.js';
import type { VisibleMedium } from '../../../stand-ins/walls/readers-view.js';
import { themeCss } from '../../../stand-ins/walls/readers-view.js';
import { element, type WallNode } from '../../../stand-ins/walls/wall-node.js';
import { nameOfUpload, ownAddress, uploadedFile } from '../api/upload.js';
import { networkInText } from '../components/icon.js';
import { ICONS } from '../components/networks.js';
import { format, type Instant } from '../i18n/format.js';
import { type Wall, wallMessages as m } from './read-wall.js';
import frame from './wall-frame.css?inline';

/** Attributes whose React name differs from the HTML name. */
const NAMES: Readonly<Record<string, string>> = {
  class: 'className',
  tabindex: 'tabIndex',
  datetime: 'dateTime',
  'stroke-width': 'strokeWidth',
};

/** URL schemes that the console makes clickable. A network may allow more. */
const LINKED = /^(https|tg):/i;

/** Converts a wall's nodes to React nodes. Strings stay strings, so they are never parsed as HTML. */
export const toReact = (nodes: readonly WallNode[]): ReactNode[] =>
  nodes.map((node, index) => {
    if (typeof node === 'string') return node;
    const { tag, attributes, children } = node;
    const isDead = tag === 'a' && !LINKED.test(attributes['href'] ?? '');
    const given = Object.entries(attributes).filter(([name]) => !isDead || name === 'class');
    const props = Object.fromEntries(given.map(([name, value]) => [NAMES[name] ?? name, value]));
    return createElement(isDead ? 'span' : tag, { ...props, key: index }, ...toReact(children));
  });

const sheets = new Map<string, CSSStyleSheet>();

/** Returns a network's wall style sheet for use in a shadow root, which keeps it separate from the console's styles. */
export const wallSheet = (platform: string): CSSStyleSheet => {
  let sheet = sheets.get(platform);
  if (!sheet) {
    sheet = new CSSStyleSheet();
    const theme = themeCss(':host', READERS_VIEWS[platform]?.theme ?? {});
    sheet.replaceSync(`:host { ${POST_COLOURS} }\n${theme}${HUE_RULES}\n${POST_STYLE}\n${frame}`);
    sheets.set(platform, sheet);
  }
  return sheet;
};

/** Shows an uploaded photo; null for other media. */
const uploadedPhoto = ({ url }: VisibleMedium): WallNode | null => {
  const file = url === null ? undefined : uploadedFile(url);
  if (file?.type !== 'photo') return null;
  return element('img', { src: ownAddress(file.url), alt: nameOfUpload(file.id) });
};

interface WallPostsProps {
  readonly wall: Wall;
  readonly channel: { readonly id: string; readonly name: string };
  readonly at: Instant;
  /** Shown if there are no messages. */
  readonly hint: string;
  /** True if the messages do not reflect the latest text yet; they then cannot be clicked. */
  readonly isStale?: boolean;
}

/**
 * A channel's messages, styled like its network. Of the media, only uploaded photos are loaded, so the browser contacts
 * only the gateway.
 */
export const WallPosts = ({ wall, channel, at, hint, isStale = false }: WallPostsProps) => {
  const host = useRef<HTMLDivElement>(null);
  const [root, setRoot] = useState<ShadowRoot | null>(null);
  useLayoutEffect(() => {
    if (!host.current) return;
    const shadow = host.current.shadowRoot ?? host.current.attachShadow({ mode: 'open' });
    shadow.adoptedStyleSheets = [wallSheet(wall.platform)];
    setRoot(shadow);
  }, [wall.platform]);

  const iso = typeof at === 'number' ? new Date(at).toISOString() : at;
  const posts = wall.messages.map((message) =>
    postElement(message, {
      author: channel.name,
      showMedium: (medium) => uploadedPhoto(medium) ?? placeholder(medium, m.mediaType(medium.type)),
      footer: [element('time', { datetime: iso }, [format.time(at)])],
      words: { inReplyTo: () => m.inReplyToMedia, hidden: m.hidden },
    }),
  );
  return (
    <div ref={host} className="wall-ground" inert={isStale}>
      {root &&
        createPortal(
          <div
            className="posts"
            data-layout={READERS_VIEWS[wall.platform]?.theme.layout ?? 'messages'}
            data-hue={hueOf(channel.id)}
            role="group"
            aria-label={m.readersSee(networkInText(wall.platform))}
            tabIndex={0}
            onClick={reveal}
            onKeyDown={(event) => event.key === 'Enter' && reveal(event)}
          >
            {posts.length > 0 ? <div className="list">{toReact(posts)}</div> : <p className="hint">{hint}</p>}
          </div>,
          root,
        )}
    </div>
  );
};

/** Reveals a spoiler or expands a long quote, as on the real networks. */
const reveal = ({ target }: MouseEvent | KeyboardEvent): void => {
  if (!(target instanceof Element)) return;
  target.closest('.spoiler')?.classList.toggle('seen');
  if (!target.closest('a')) target.closest('.expandable')?.classList.toggle('open');
};

const placeholder = ({ type, url, name }: VisibleMedium, words: string): WallNode =>
  element('span', { class: `placeholder ${type}` }, [
    element('svg', { viewBox: '0 0 16 16', 'aria-hidden': 'true' }, [
      element('path', {
        d: ICONS[type === 'photo' ? 'image' : type === 'audio' ? 'audio' : 'video'].line,
        fill: 'none',
        stroke: 'currentColor',
        'stroke-width': '1.3',
      }),
    ]),
    element('bdi', {}, [url?.startsWith('med_') ? nameOfUpload(url) : name]),
    element('span', {}, [words]),
  ]);
