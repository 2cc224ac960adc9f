import type { MarkType } from './marks.js';

/** Shortcut keys of the toolbar's formatting, pressed with Ctrl or ⌘; null for none. */
export const SHORTCUTS: Readonly<Record<MarkType, { readonly key: string; readonly shift: boolean } | null>> = {
  bold: { key: 'b', shift: false },
  italic: { key: 'i', shift: false },
  underline: { key: 'u', shift: false },
  strikethrough: { key: 'x', shift: true },
  code: { key: 'e', shift: false },
  quote: { key: '.', shift: true },
  link: { key: 'k', shift: false },
  spoiler: null,
};

const isMac = (): boolean => navigator.platform.startsWith('Mac');

/** Returns the display name of a formatting shortcut, such as `Ctrl+B` or `⌘B`. */
export const shortcutName = (type: MarkType): string | null => {
  const shortcut = SHORTCUTS[type];
  if (!shortcut) return null;
  const key = shortcut.key.toUpperCase();
  if (isMac()) return `${shortcut.shift ? '⇧' : ''}⌘${key}`;
  return `Ctrl+${shortcut.shift ? 'Shift+' : ''}${key}`;
};

/** Returns the formatting whose shortcut was pressed; null if there is none. */
export const findShortcut = (event: {
  readonly key: string;
  readonly code: string;
  readonly shiftKey: boolean;
  readonly altKey: boolean;
}): MarkType | null => {
  if (event.altKey) return null;
  // Also compares the key's physical position, so that the shortcuts work with other alphabets.
  const place = event.code === 'Period' ? '.' : event.code.replace(/^Key/, '').toLowerCase();
  const found = Object.entries(SHORTCUTS).find(
    ([, shortcut]) =>
      shortcut?.shift === event.shiftKey && (event.key.toLowerCase() === shortcut.key || place === shortcut.key),
  );
  return (found?.[0] as MarkType | undefined) ?? null;
};

/** Returns the display name of the shortcut for publishing. */
export const publishKeys = (): string => (isMac() ? '⌘↵' : 'Ctrl ↵');
