import type { LedgerEntry } from '../kit/ledger-entry.js';
import { EXTERNAL, safeHref } from './format-text.js';
import { postElement } from './post-element.js';
import type { VisibleMedium } from './visible-message.js';
import { element, toHtml, type WallNode } from './wall-node.js';

interface PostView {
  readonly views: number;
  /** Path prefix of media files. */
  readonly mediaBase: string;
}

/** Renders one message on a wall as HTML. */
export const renderPost = (entry: LedgerEntry, { views, mediaBase }: PostView): string =>
  toHtml([
    postElement(entry, {
      author: entry.channel_title,
      attributes: { id: `p-${entry.seq}`, 'data-seq': String(entry.seq), 'data-day': entry.at.slice(0, 10) },
      showMedium: (medium) => showMedium(medium, mediaBase),
      footer: [
        element('span', { class: 'views', title: 'Views' }, [EYE, formatCount(views)]),
        element('a', { class: 'id', href: `#p-${entry.seq}`, title: `Message ${entry.message_id}` }, [
          element('time', { datetime: entry.at }, [entry.at.slice(11, 16)]),
        ]),
      ],
    }),
  ]);

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
