import './palette.css';
import * as Radix from '@radix-ui/react-dialog';
import { type KeyboardEvent, useDeferredValue, useId, useMemo, useRef, useState } from 'react';
import { focusAtOnce } from '../components/controls.js';
import { Icon, type IconName, type Tone } from '../components/icon.js';
import { defineMessages } from '../i18n/messages.js';
import { useCommands } from './use-commands.js';

/** A command in the command palette. */
export interface Command {
  readonly id: string;
  readonly group: string;
  readonly title: string;
  /** Additional search keywords for the command. */
  readonly words?: string;
  readonly icon: IconName;
  readonly tone?: Tone;
  readonly hint?: string;
  /** True if the command is listed even without a search. */
  readonly isUsual?: boolean;
  readonly run: () => void;
}

/** Commands under one heading. */
export interface CommandGroup {
  readonly title: string;
  readonly items: readonly Command[];
}

/** Maximum number of commands under one heading. */
const MAX_ITEMS = 7;

/**
 * Returns the commands that contain every search word, grouped by heading. Commands in which more search words match
 * the start of a word come first.
 */
export const findCommands = (commands: readonly Command[], text: string): readonly CommandGroup[] => {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const found = commands
    .map((command) => ({ command, rank: rankOf(command, words) }))
    .filter(({ rank }) => rank > 0)
    .sort((a, b) => b.rank - a.rank)
    .map(({ command }) => command);
  const groups = new Map<string, Command[]>();
  for (const command of found) {
    const items = groups.get(command.group) ?? [];
    if (items.length < MAX_ITEMS) items.push(command);
    groups.set(command.group, items);
  }
  return [...groups].map(([title, items]) => ({ title, items }));
};

/**
 * Returns 0 if a search word is missing; otherwise a rank that grows with the number of search words that match the
 * start of a word.
 */
const rankOf = ({ title, words = '', group, isUsual = false }: Command, search: readonly string[]): number => {
  if (search.length === 0) return isUsual ? 1 : 0;
  const own = `${title} ${words} ${group}`.toLowerCase();
  if (!search.every((word) => own.includes(word))) return 0;
  return 1 + search.filter((word) => own.startsWith(word) || own.includes(` ${word}`)).length;
};

const m = defineMessages({
  en: {
    title: 'Search and commands',
    placeholder: 'A channel, a post, a screen, a moment such as 11:48…',
    nothing: 'Nothing found. Try a channel’s name, a few words of a post, or a time.',
  },
  ru: {
    title: 'Найти или сделать',
    placeholder: 'Канал, пост, экран или момент, например 11:48…',
    nothing: 'Ничего не найдено. Попробуйте имя канала, слова из поста или время.',
  },
});

/** The command palette, which finds resources, screens, points in time and actions. */
export default function Palette({ onClose }: { readonly onClose: () => void }) {
  const listId = useId();
  const [text, setText] = useState('');
  const [selected, setSelected] = useState(0);
  const commands = useCommands(useDeferredValue(text));
  const groups = useMemo(() => findCommands(commands, text), [commands, text]);
  const found = groups.flatMap(({ items }) => items);
  const index = Math.min(selected, Math.max(0, found.length - 1));
  const list = useRef<HTMLDivElement>(null);

  const run = (command: Command | undefined): void => {
    if (!command) return;
    onClose();
    command.run();
  };
  const select = (next: number): void => {
    const wrapped = found.length === 0 ? 0 : (next + found.length) % found.length;
    setSelected(wrapped);
    list.current?.querySelectorAll('[role="option"]')[wrapped]?.scrollIntoView({ block: 'nearest' });
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const steps: Readonly<Record<string, number>> = { ArrowDown: index + 1, ArrowUp: index - 1 };
    const next = steps[event.key];
    if (next !== undefined) {
      event.preventDefault();
      select(next);
    }
    if (event.key === 'Enter') run(found[index]);
  };
  return (
    <Radix.Root open onOpenChange={(open) => !open && onClose()}>
      <Radix.Portal>
        <Radix.Overlay className="dialog-ground" />
        <Radix.Content className="palette" aria-describedby={undefined}>
          <Radix.Title className="visually-hidden">{m.title}</Radix.Title>
          <div className="palette-input">
            <Icon name="search" />
            <input
              ref={focusAtOnce}
              role="combobox"
              aria-expanded
              aria-controls={listId}
              aria-label={m.title}
              {...(found.length > 0 && { 'aria-activedescendant': `${listId}-${index}` })}
              placeholder={m.placeholder}
              value={text}
              onChange={(event) => {
                setText(event.target.value);
                setSelected(0);
              }}
              onKeyDown={onKeyDown}
            />
          </div>
          <div className="palette-list" id={listId} role="listbox" aria-label={m.title} ref={list}>
            {found.length === 0 && <p className="palette-nothing secondary">{m.nothing}</p>}
            {groups.map(({ title, items }) => (
              <div key={title} role="group" aria-label={title}>
                <h3 aria-hidden="true">{title}</h3>
                {items.map((command) => {
                  const at = found.indexOf(command);
                  return (
                    <div
                      key={command.id}
                      id={`${listId}-${at}`}
                      role="option"
                      aria-selected={at === index}
                      className="palette-item"
                      onPointerMove={() => setSelected(at)}
                      onClick={() => run(command)}
                    >
                      <Icon name={command.icon} {...(command.tone && { tone: command.tone })} />
                      <bdi className="cut">{command.title}</bdi>
                      {command.hint !== undefined && <span className="palette-hint tertiary">{command.hint}</span>}
                    </div>
                  );
                })}
              </div>
            ))}
          </div>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
