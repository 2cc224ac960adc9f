import './code.css';
import { useState } from 'react';
import { defineMessages } from '../i18n/messages.js';
import { Segmented } from './controls.js';
import { CopyButton } from './copy.js';

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
