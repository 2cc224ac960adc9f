import { MIME_OF } from './media-rules.js';

const EXTENSIONS = new Map(Object.entries(MIME_OF).map(([extension, mime]) => [mime, extension]));

const MAX_LENGTH = 60;

/**
 * Returns the file name that readers see where a network shows files as documents: the last part of the URL, with the
 * extension of the file's real type.
 */
export const fileNameOf = (url: string, mime: string): string => {
  const last = URL.canParse(url) ? (new URL(url).pathname.split('/').at(-1) ?? '') : '';
  const words = decoded(last)
    .replace(/\.\w{1,5}$/, '')
    .replace(/[^\p{L}\p{M}\p{N}._-]+/gu, '-')
    .replace(/^[.-]+|-+$/g, '');
  return `${Array.from(words).slice(0, MAX_LENGTH).join('') || 'file'}.${EXTENSIONS.get(mime) ?? 'bin'}`;
};

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};
