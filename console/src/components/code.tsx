import './code.css';
import './secrets.css';
import { useState } from 'react';
import { defineMessages } from '../i18n/messages.js';
import { Button, CopyButton } from './button.js';
import { Checkbox, Segmented } from './controls.js';
import { Icon } from './icon.js';
import { toast } from './toasts.js';

const m = defineMessages({ en: { language: 'Code language' }, ru: { language: 'Язык кода' } });

/** Code or output, with a button that copies it. */
export const CodeBlock = ({ text, label }: { readonly text: string; readonly label?: string }) => (
  <div className="code-block">
    <pre className="code" tabIndex={0} {...(label !== undefined && { 'aria-label': label })}>
      {text}
    </pre>
    <CopyButton text={text} />
  </div>
);

const LANGUAGES = ['curl', 'TypeScript', 'Python'] as const;
type Language = (typeof LANGUAGES)[number];
const STORAGE_KEY = 'crosspost.code';

/**
 * The same call in three languages. Remembers the chosen language. The code should contain placeholders such as
 * `$TOKEN` instead of secrets.
 */
export const CodeSwitcher = ({ code }: { readonly code: Readonly<Record<Language, string>> }) => {
  const [language, setLanguage] = useState<Language>(
    () => LANGUAGES.find((each) => each === localStorage.getItem(STORAGE_KEY)) ?? 'curl',
  );
  const choose = (next: Language): void => {
    localStorage.setItem(STORAGE_KEY, next);
    setLanguage(next);
  };
  return (
    <div className="code-switcher">
      <Segmented
        label={m.language}
        value={language}
        options={LANGUAGES.map((value) => ({ value, label: value }))}
        onChange={choose}
      />
      <CodeBlock text={code[language]} />
    </div>
  );
};

const secretMessages = defineMessages({
  en: {
    show: 'Show',
    hide: 'Hide',
    copyAll: 'Copy all as .env',
    saved: 'I’ve saved them',
    done: 'Continue',
    warning: 'You can’t view these again. If you lose one, you can only replace it with a new one.',
  },
  ru: {
    show: 'Показать',
    hide: 'Скрыть',
    copyAll: 'Скопировать как .env',
    saved: 'Значения сохранены',
    done: 'Продолжить',
    warning:
      'Посмотреть их снова нельзя. Потерянное значение можно заменить новым; старое сразу перестанет действовать.',
  },
});

/** A value that is shown once. */
export interface Secret {
  readonly label: string;
  readonly value: string;
  /** Name in an `.env` file: `CROSSPOST_TOKEN`. */
  readonly variable: string;
  /** False for a value that need not be hidden, such as an address. */
  readonly isSecret: boolean;
}

interface SecretsOnceProps {
  readonly secrets: readonly Secret[];
  readonly onDone: () => void;
  readonly doneLabel?: string;
  /** Label of the confirmation. */
  readonly savedLabel?: string;
  /** False if the values are for a person, who has no use for an `.env` file. */
  readonly hasEnv?: boolean;
}

/**
 * Shows values that the gateway returns only once. The user can copy one or all of them, and must confirm that they are
 * saved before continuing. The values are kept only in the memory of the parent component.
 */
export const SecretsOnce = ({ secrets, onDone, doneLabel, savedLabel, hasEnv = true }: SecretsOnceProps) => {
  const [isSaved, setIsSaved] = useState(false);
  const asEnv = (): string => secrets.map(({ variable, value }) => `${variable}=${value}\n`).join('');
  return (
    <div className="secrets">
      <div className="secret-list">
        <dl>
          {secrets.map((secret) => (
            <SecretRow key={secret.variable} secret={secret} />
          ))}
        </dl>
        <div className="secret-warning">
          <Icon name="onHold" tone="warn" />
          <span>{secretMessages.warning}</span>
        </div>
      </div>
      <div className="secret-actions">
        {hasEnv && (
          <CopyButton text={asEnv} size="normal">
            {secretMessages.copyAll}
          </CopyButton>
        )}
        <Checkbox checked={isSaved} onChange={(event) => setIsSaved(event.target.checked)}>
          {savedLabel ?? secretMessages.saved}
        </Checkbox>
        <Button look="primary" disabled={!isSaved} onClick={onDone}>
          {doneLabel ?? secretMessages.done}
        </Button>
      </div>
    </div>
  );
};

const SecretRow = ({ secret: { label, value, isSecret } }: { readonly secret: Secret }) => {
  const [isShown, setIsShown] = useState(!isSecret);
  return (
    <div className="secret-row">
      <dt>{label}</dt>
      <dd className="mono">{isShown ? value : '•'.repeat(Math.min(32, value.length))}</dd>
      <dd>
        {isSecret && (
          <Button size="small" look="quiet" onClick={() => setIsShown(!isShown)}>
            {isShown ? secretMessages.hide : secretMessages.show}
          </Button>
        )}
        <CopyButton text={value} />
      </dd>
    </div>
  );
};

const jsonMessages = defineMessages({
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

interface BranchProps {
  readonly entries: readonly [string, unknown][];
  readonly open: string;
  readonly close: string;
  readonly path: string;
  readonly depth: number;
  readonly isList: boolean;
}

const Branch = ({ entries, open, close, path, depth, isList }: BranchProps) => {
  const [isOpen, setIsOpen] = useState(depth > 0);
  return (
    <>
      <button type="button" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
        {isOpen ? open : `${open} ${jsonMessages.members(entries.length)} ${close}`}
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
    toast(jsonMessages.copied(path));
  };
  return (
    <>
      <button type="button" className="json-key" title={jsonMessages.copyPath} onClick={() => void copy()}>
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
