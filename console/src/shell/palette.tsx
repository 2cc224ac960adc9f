import './palette.css';
import * as Radix from '@radix-ui/react-dialog';
import { type KeyboardEvent, useDeferredValue, useId, useMemo, useRef, useState } from 'react';
import { Icon } from '../components/icon.js';
import { defineMessages } from '../i18n/messages.js';
import { type Command, findCommands } from './find-commands.js';
import { useCommands } from './use-commands.js';

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
              autoFocus
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
