import './editor.css';
import {
  type FormEvent,
  type KeyboardEvent,
  type MouseEvent,
  type ReactNode,
  useEffect,
  useRef,
  useState,
} from 'react';
import { Button } from '../components/button.js';
import { TextField } from '../components/controls.js';
import { Dialog } from '../components/dialog.js';
import { Icon } from '../components/icon.js';
import { type FormattedText, type MarkType, readUrl } from './formatted-text.js';
import { editorMessages as m } from './messages.js';
import { TextEditing } from './text-editing.js';

/** Asks for a link's URL, and for its text unless several lines are selected. */
export const LinkDialog = ({ editing, onClose }: { readonly editing: TextEditing; readonly onClose: () => void }) => {
  const [{ words: selected, link }] = useState(() => editing.readLink());
  const [words, setWords] = useState(selected);
  const [address, setAddress] = useState(link?.url ?? '');
  const [isTried, setIsTried] = useState(false);
  const url = readUrl(address);

  const save = (event: FormEvent): void => {
    event.preventDefault();
    setIsTried(true);
    const shown = words.trim() === '' ? (url ?? '') : words;
    if (url === null) return;
    editing.link(shown, url);
    onClose();
  };
  const remove = (): void => {
    editing.link(selected, null);
    onClose();
  };
  return (
    <Dialog title={m.linkTitle} isOpen onClose={onClose}>
      <form className="dialog-form" onSubmit={save} noValidate>
        <TextField
          label={m.linkUrl}
          error={isTried && url === null && m.badUrl}
          inputMode="url"
          value={address}
          placeholder="https://"
          onChange={setAddress}
        />
        {!selected.includes('\n') && <TextField label={m.linkWords} value={words} onChange={setWords} />}
        <div className="dialog-actions">
          {link && (
            <Button look="danger" onClick={remove}>
              {m.removeLink}
            </Button>
          )}
          <Button look="primary" type="submit">
            {m.saveLink}
          </Button>
        </div>
      </form>
    </Dialog>
  );
};

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

const GLYPHS: readonly (readonly [MarkType, ReactNode])[] = [
  ['bold', <b key="b">B</b>],
  ['italic', <i key="i">I</i>],
  ['underline', <u key="u">U</u>],
  ['strikethrough', <s key="s">S</s>],
  ['code', <code key="c">{'{}'}</code>],
  ['quote', '”'],
  ['link', <Icon key="l" name="link" size={15} />],
  ['spoiler', '▒'],
];

interface ToolbarProps {
  /** Formatting at the caret. */
  readonly active: ReadonlySet<MarkType>;
  readonly run: (type: MarkType) => void;
  readonly tools?: ReactNode;
}

/** The editor's buttons. Only the first button is in the tab order; the arrow keys move between all of them. */
export const Toolbar = ({ active, run, tools }: ToolbarProps) => {
  const bar = useRef<HTMLDivElement>(null);
  const move = (event: KeyboardEvent): void => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const buttons = [...(bar.current?.querySelectorAll<HTMLElement>('button') ?? [])].filter(
      (button) => button.offsetParent !== null,
    );
    const at = buttons.indexOf(event.target as HTMLElement);
    const next = event.key === 'Home' ? 0 : event.key === 'End' ? buttons.length - 1 : step && at + step;
    if (next === undefined || at < 0) return;
    event.preventDefault();
    buttons[(next + buttons.length) % buttons.length]?.focus();
  };
  return (
    <div ref={bar} className="toolbar" role="toolbar" aria-label={m.formatting} onKeyDown={move}>
      {GLYPHS.map(([type, glyph], index) => {
        const keys = shortcutName(type);
        return (
          <button
            key={type}
            type="button"
            className={`tool tool-${type}`}
            aria-label={m[type]}
            aria-pressed={active.has(type)}
            title={keys === null ? m[type] : `${m[type]} (${keys})`}
            tabIndex={index === 0 ? 0 : -1}
            onMouseDown={keepFocus}
            onClick={() => run(type)}
          >
            {glyph}
          </button>
        );
      })}
      {tools}
    </div>
  );
};

/** Keeps the focus and the selection in the text when a button is clicked. */
const keepFocus = (event: MouseEvent): void => event.preventDefault();

interface EditorProps {
  readonly value: FormattedText;
  readonly onChange: (value: FormattedText) => void;
  /** Additional toolbar buttons. */
  readonly tools?: ReactNode;
  readonly isInvalid?: boolean;
  /** True to focus the text initially. */
  readonly isFocused?: boolean;
}

/** An editor for formatted text, with a toolbar. Pasted text keeps its formatting; changes can be undone and redone. */
export const Editor = ({ value, onChange, tools, isInvalid = false, isFocused = false }: EditorProps) => {
  const root = useRef<HTMLDivElement>(null);
  const editing = useRef<TextEditing>(null);
  const listener = useRef(onChange);
  const first = useRef(value);
  const [active, setActive] = useState<ReadonlySet<MarkType>>(new Set());
  const [linking, setLinking] = useState<TextEditing | null>(null);

  useEffect(() => {
    listener.current = onChange;
  }, [onChange]);
  useEffect(() => {
    if (!root.current) return;
    const current = new TextEditing(root.current, first.current, {
      onChange: (next) => listener.current(next),
      onActive: setActive,
    });
    editing.current = current;
    if (isFocused) current.focusEnd();
    return () => current.close();
  }, [isFocused]);
  useEffect(() => editing.current?.setValue(value), [value]);

  const run = (type: MarkType): void => {
    if (type === 'link') setLinking(editing.current);
    else editing.current?.toggle(type);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (!event.ctrlKey && !event.metaKey) return;
    const type = findShortcut(event);
    const isUndo = !event.altKey && (event.key.toLowerCase() === 'z' || event.code === 'KeyZ');
    if (type === null && !isUndo && event.key.toLowerCase() !== 'y') return;
    event.preventDefault();
    // Everywhere else, ⌘K opens the palette.
    event.stopPropagation();
    if (type !== null) run(type);
    else if (isUndo && !event.shiftKey) editing.current?.undo();
    else editing.current?.redo();
  };
  return (
    <>
      <Toolbar active={active} run={run} tools={tools} />
      <div
        ref={root}
        className="editor"
        contentEditable
        role="textbox"
        aria-multiline
        aria-label={m.text}
        aria-placeholder={m.placeholder}
        aria-invalid={isInvalid || undefined}
        data-field="text"
        data-empty={value.text === '' || undefined}
        data-placeholder={m.placeholder}
        spellCheck
        onKeyDown={onKeyDown}
      />
      {linking && <LinkDialog editing={linking} onClose={() => setLinking(null)} />}
    </>
  );
};
