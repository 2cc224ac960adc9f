import './code.css';
import { useState } from 'react';
import { defineMessages } from '../i18n/messages.js';
import { toast } from './toasts.js';

const m = defineMessages({
  en: {
    copied: (path: string) => `Copied ${path}`,
    copyPath: 'Copy the path',
    members: (count: number) => `${count} …`,
  },
  ru: {
    copied: (path: string) => `Скопировано: ${path}`,
    copyPath: 'Скопировать путь',
    members: (count: number) => `${count} …`,
  },
});

/** JSON with collapsible parts. Clicking a member's name copies its path as a JSON Pointer. */
export const Json = ({ value, depth = 3 }: { readonly value: unknown; readonly depth?: number }) => (
  <div className="code json">
    <Node value={value} path="" depth={depth} />
  </div>
);

const Node = ({ value, path, depth }: { readonly value: unknown; readonly path: string; readonly depth: number }) => {
  if (typeof value !== 'object' || value === null) return <Scalar value={value} />;
  const entries = Object.entries(value);
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  if (entries.length === 0) return `${open}${close}`;
  return <Branch {...{ entries, open, close, path, depth }} isList={Array.isArray(value)} />;
};

const Branch = ({
  entries,
  open,
  close,
  path,
  depth,
  isList,
}: {
  readonly entries: readonly [string, unknown][];
  readonly open: string;
  readonly close: string;
  readonly path: string;
  readonly depth: number;
  readonly isList: boolean;
}) => {
  const [isOpen, setIsOpen] = useState(depth > 0);
  return (
    <>
      <button type="button" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
        {isOpen ? open : `${open} ${m.members(entries.length)} ${close}`}
      </button>
      {isOpen && (
        <>
          {entries.map(([name, member], index) => (
            <span key={name} className="json-nested">
              {!isList && <Key name={name} path={`${path}/${escapePointer(name)}`} />}
              <Node value={member} path={`${path}/${escapePointer(name)}`} depth={depth - 1} />
              {index < entries.length - 1 && ','}
            </span>
          ))}
          {close}
        </>
      )}
    </>
  );
};

const Key = ({ name, path }: { readonly name: string; readonly path: string }) => {
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(path);
    toast(m.copied(path));
  };
  return (
    <>
      <button type="button" className="json-key" title={m.copyPath} onClick={() => void copy()}>
        {JSON.stringify(name)}
      </button>
      {': '}
    </>
  );
};

const Scalar = ({ value }: { readonly value: unknown }) => (
  <bdi className={typeof value === 'string' ? 'json-string' : 'json-value'}>{JSON.stringify(value) ?? 'null'}</bdi>
);

const escapePointer = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1');
