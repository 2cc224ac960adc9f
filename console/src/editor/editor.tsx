import './editor.css';
import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { LinkDialog } from './link-dialog.js';
import type { FormattedText, MarkType } from './marks.js';
import { editorMessages as m } from './messages.js';
import { findShortcut } from './shortcuts.js';
import { TextEditing } from './text-editing.js';
import { Toolbar } from './toolbar.js';

/** An editor for formatted text, with a toolbar. Pastes plain text only; changes can be undone and redone. */
export const Editor = ({
  value,
  onChange,
  tools,
  isInvalid = false,
  isFocused = false,
}: {
  readonly value: FormattedText;
  readonly onChange: (value: FormattedText) => void;
  /** Additional toolbar buttons. */
  readonly tools?: ReactNode;
  readonly isInvalid?: boolean;
  /** True to focus the text initially. */
  readonly isFocused?: boolean;
}) => {
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
