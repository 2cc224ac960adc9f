import { useEffect, useState } from 'react';
import { defineMessages } from '../i18n/messages.js';
import { Button } from './button.js';
import { Icon } from './icon.js';

const m = defineMessages({
  en: { copy: 'Copy', copied: 'Copied' },
  ru: { copy: 'Копировать', copied: 'Скопировано' },
});

/** A button that copies text and confirms it for two seconds. Without children, it is an icon labelled "Copy". */
export const CopyButton = ({
  text,
  children,
  look,
  size = 'small',
}: {
  readonly text: string | (() => string);
  readonly children?: string;
  readonly look?: 'plain' | 'primary' | 'quiet';
  readonly size?: 'normal' | 'small';
}) => {
  const [isCopied, setIsCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setIsCopied(false), 2000);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const copy = async (): Promise<void> => {
    await copyText(typeof text === 'string' ? text : text());
    setIsCopied(true);
  };
  return (
    <Button
      size={size}
      {...(look && { look })}
      {...(children === undefined && { 'aria-label': isCopied ? m.copied : m.copy, title: m.copy })}
      onClick={() => void copy()}
    >
      <Icon name={isCopied ? 'check' : 'copy'} size={14} />
      {children !== undefined && (isCopied ? m.copied : children)}
    </Button>
  );
};

/** Copies text to the clipboard. Pages served over plain HTTP have no clipboard API, except on localhost. */
export const copyText = async (text: string): Promise<void> => {
  if (window.isSecureContext) return navigator.clipboard.writeText(text);
  const area = document.createElement('textarea');
  area.value = text;
  document.body.append(area);
  area.select();
  document.execCommand('copy');
  area.remove();
};
