import './button.css';
import { Link, type LinkProps } from '@tanstack/react-router';
import { type ButtonHTMLAttributes, type ReactNode, type Ref, useEffect, useState } from 'react';
import { defineMessages } from '../i18n/messages.js';
import { type Route, routeOfScreen, useMay } from '../session/rights.js';
import { Icon, type IconName } from './icon.js';

interface Look {
  /** `primary`: filled, used once per screen. `quiet`: no border. `danger`: for an action that cannot be undone. */
  readonly look?: 'plain' | 'primary' | 'quiet' | 'danger';
  readonly size?: 'normal' | 'small';
  readonly icon?: IconName;
  readonly children?: ReactNode;
  /** What it leads to: it is not shown to a person whose key may never call this route. */
  readonly needs?: Route;
}

const classes = ({ look = 'plain', size = 'normal' }: Look, extra = ''): string =>
  `button ${look} ${size === 'small' ? 'small' : ''} ${extra}`;

/** A button. While `busy`, it shows that work is in progress and ignores clicks, but keeps the focus. */
export const Button = ({
  look,
  size,
  icon,
  children,
  busy = false,
  className,
  onClick,
  ref,
  needs,
  ...rest
}: Look & {
  readonly busy?: boolean;
  readonly ref?: Ref<HTMLButtonElement>;
} & ButtonHTMLAttributes<HTMLButtonElement>) =>
  useMay(needs) && (
    <button
      type="button"
      ref={ref}
      className={classes({ look, size }, className)}
      aria-busy={busy || undefined}
      aria-disabled={busy || undefined}
      onClick={busy ? (event) => event.preventDefault() : onClick}
      {...rest}
    >
      {icon && <Icon name={icon} />}
      {children}
    </button>
  );

/** A link that looks like a button. It is not shown if its screen is of no use to the person's key. */
export const ButtonLink = ({
  look,
  size,
  icon,
  children,
  className,
  needs,
  ...link
}: Look & LinkProps & { className?: string }) =>
  useMay(needs ?? routeOfScreen(link.to)) && (
    <Link className={classes({ look, size }, className)} {...link}>
      {icon && <Icon name={icon} />}
      {children}
    </Link>
  );

/** True for addresses of other sites, and of this one, on which a demo has its walls. */
const isLink = (href: string): boolean => /^(https|tg):\/\//i.test(href) || href.startsWith(`${location.origin}/`);

/** A link to another site, such as a channel on its network. Only https: and tg: addresses become links. */
export const ExternalLink = ({
  href,
  look,
  size,
  className,
  children,
}: Look & { readonly href: string; readonly className?: string }) => {
  if (!isLink(href)) return <span className={className}>{children}</span>;
  return (
    <a
      className={look || size ? classes({ look, size }, className) : `link ${className ?? ''}`}
      href={href}
      target="_blank"
      rel="noopener noreferrer nofollow"
    >
      {children} <Icon name="external" size={14} />
    </a>
  );
};

const m = defineMessages({
  en: { copy: 'Copy', copied: 'Copied' },
  ru: { copy: 'Копировать', copied: 'Скопировано' },
});

interface CopyButtonProps {
  readonly text: string | (() => string);
  readonly children?: string;
  readonly look?: 'plain' | 'primary' | 'quiet';
  readonly size?: 'normal' | 'small';
}

/** A button that copies text and confirms it for two seconds. Without children, it is an icon labelled "Copy". */
export const CopyButton = ({ text, children, look, size = 'small' }: CopyButtonProps) => {
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
