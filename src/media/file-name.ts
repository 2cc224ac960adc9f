const EXTENSIONS: Readonly<Record<string, string>> = {
  'image/jpeg': 'jpg',
  'image/png': 'png',
  'image/webp': 'webp',
  'video/mp4': 'mp4',
  'video/quicktime': 'mov',
  'video/webm': 'webm',
  'audio/mpeg': 'mp3',
  'audio/mp4': 'm4a',
  'audio/ogg': 'ogg',
};

const MAX_LENGTH = 60;

/**
 * Returns a name for a file: the last part of its URL (letters and digits of any script) with the extension of its real
 * type. Readers see the name where a network shows files as documents.
 */
export const fileNameOf = (url: string, mime: string): string => {
  const last = URL.canParse(url) ? (new URL(url).pathname.split('/').at(-1) ?? '') : '';
  const words = decoded(last)
    .replace(/\.\w{1,5}$/, '')
    .replace(/[^\p{L}\p{M}\p{N}._-]+/gu, '-')
    .replace(/^[.-]+|-+$/g, '');
  return `${Array.from(words).slice(0, MAX_LENGTH).join('') || 'file'}.${EXTENSIONS[mime] ?? 'bin'}`;
};

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};
