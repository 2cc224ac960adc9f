import { type KeyboardEvent, type MouseEvent, type ReactNode, useRef } from 'react';
import { Icon } from '../components/icon.js';
import type { MarkType } from './marks.js';
import { editorMessages as m } from './messages.js';
import { shortcutName } from './shortcuts.js';

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

/** The editor's buttons. Only the first button is in the tab order; the arrow keys move between all of them. */
export const Toolbar = ({
  active,
  run,
  tools,
}: {
  /** Formatting at the caret. */
  readonly active: ReadonlySet<MarkType>;
  readonly run: (type: MarkType) => void;
  readonly tools?: ReactNode;
}) => {
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
