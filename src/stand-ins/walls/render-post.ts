import type { LedgerEntry, LedgerMedium } from '../kit/ledger.js';
import { escapeHtml, safeHref } from './escape-html.js';
import { renderFormattedText } from './render-formatted-text.js';

/** Options of a post's view. */
export interface PostView {
  readonly views: number;
  /** Path prefix of media files. */
  readonly mediaBase: string;
}

/** Renders one message as readers see it: media, formatted text, views and time, buttons below. */
export const renderPost = (entry: LedgerEntry, { views, mediaBase }: PostView): string => {
  const time = entry.at.slice(11, 16);
  const media = entry.media.map((medium) => renderMedium(medium, mediaBase)).join('');
  const reply = entry.reply_to === null ? '' : `<div class="reply">in reply to ${escapeHtml(entry.reply_to)}</div>`;
  const text = entry.text ? `<div class="text">${renderFormattedText(entry.text, entry.entities)}</div>` : '';
  const buttons = entry.buttons.map((row) => `<div class="row">${row.map(renderButton).join('')}</div>`).join('');
  return (
    `<article class="post" id="p-${entry.seq}" data-seq="${entry.seq}" data-day="${entry.at.slice(0, 10)}">` +
    `<div class="bubble">${media ? `<div class="media">${media}</div>` : ''}<div class="body">` +
    `<div class="author" data-initial="${escapeHtml([...entry.channel_title][0] ?? '')}">` +
    `${escapeHtml(entry.channel_title)}</div>${reply}${text}` +
    `<footer><span class="views" title="Views">${EYE}${formatCount(views)}</span>` +
    `<a class="id" href="#p-${entry.seq}" title="Message ${escapeHtml(entry.message_id)}">` +
    `<time datetime="${entry.at}">${time}</time></a></footer></div></div>` +
    `${buttons ? `<div class="buttons">${buttons}</div>` : ''}</article>`
  );
};

const EYE =
  '<svg viewBox="0 0 20 14" aria-hidden="true"><path d="M10 1C5.5 1 2.3 4.3 1 7c1.3 2.7 4.5 6 9 6s7.7-3.3 9-6c-1.3-2.7-4.5-6-9-6Z" fill="none" stroke="currentColor" stroke-width="1.7"/><circle cx="10" cy="7" r="2.6" fill="currentColor"/></svg>';

const renderButton = ({ text, url }: LedgerEntry['buttons'][number][number]): string => {
  const href = safeHref(url);
  const label = `<span>${escapeHtml(text)}</span>`;
  return href
    ? `<a class="button" href="${href}" target="_blank" rel="noopener noreferrer nofollow">${label}<i aria-hidden="true">↗</i></a>`
    : `<span class="button">${label}</span>`;
};

const renderMedium = ({ type, file, url, name, bytes }: LedgerMedium, mediaBase: string): string => {
  const size = bytes > 0 ? ` · ${(bytes / 1_048_576).toFixed(1)} MB` : '';
  const source = file === null ? safeHref(url ?? '') : escapeHtml(`${mediaBase}/${file}`);
  // Accepted, but too large to be stored.
  if (!source && url === null) return `<span class="file">${escapeHtml(name || type)}${size}</span>`;
  if (!source) return '';
  if (type === 'photo') return `<img src="${source}" alt="photo" loading="lazy">`;
  if (type === 'video') return `<video src="${source}" controls preload="metadata"></video>`;
  if (type === 'audio') return `<audio src="${source}" controls preload="none"></audio>`;
  return `<a class="file" href="${source}" target="_blank" rel="noopener noreferrer">${escapeHtml(name || 'file')}${size}</a>`;
};

const formatCount = (count: number): string => {
  if (count < 1_000) return String(count);
  return count < 1_000_000 ? `${(count / 1_000).toFixed(1)}K` : `${(count / 1_000_000).toFixed(1)}M`;
};
