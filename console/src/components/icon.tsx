import './icon.css';
import './state-pill.css';
import type { ReactNode } from 'react';
import { type IconName, ICONS, type IconShape, NETWORK_MARKS, networkTitle } from './networks.js';

export type { IconName } from './networks.js';
export { networkInText, networkTitle, NETWORKS } from './networks.js';

/** Colour of a state. Colour is never the only cue; the state is always named in words, too. */
export type Tone = 'ok' | 'go' | 'warn' | 'doubt' | 'fail' | 'idle' | 'time';

const Shape = ({ line, bold, solid }: IconShape) => (
  <>
    {line !== undefined && (
      <path d={line} fill="none" stroke="currentColor" strokeWidth="1.5" strokeLinecap="round" strokeLinejoin="round" />
    )}
    {bold !== undefined && (
      <path d={bold} fill="none" stroke="currentColor" strokeWidth="2" strokeLinecap="round" strokeLinejoin="round" />
    )}
    {solid !== undefined && <path d={solid} fill="currentColor" fillRule="evenodd" />}
  </>
);

interface IconProps {
  readonly name: IconName;
  /** Pixels. */
  readonly size?: number;
  readonly tone?: Tone;
  readonly label?: string;
  readonly className?: string;
}

/** A glyph in the text colour. Without a label, it is decorative and hidden from screen readers. */
export const Icon = ({ name, size = 16, tone, label, className = '' }: IconProps) => (
  <svg
    className={`icon ${tone ? `tone-${tone}` : ''} ${className}`}
    viewBox="0 0 16 16"
    width={size}
    height={size}
    {...(label === undefined ? { 'aria-hidden': true } : { role: 'img', 'aria-label': label })}
  >
    <Shape {...ICONS[name]} />
  </svg>
);

interface NetworkMarkProps {
  readonly platform: string;
  /** Pixels. */
  readonly size?: number;
  readonly label?: boolean;
}

/** A network's logo. Screen readers read its name, unless the name is next to it (`label={false}`). */
export const NetworkMark = ({ platform, size = 18, label = true }: NetworkMarkProps) => {
  const shape = NETWORK_MARKS[platform as keyof typeof NETWORK_MARKS] as IconShape | undefined;
  return (
    <svg
      className={`network-mark network-${platform}`}
      viewBox="-2.25 -2.25 20.5 20.5"
      width={size}
      height={size}
      {...(label ? { role: 'img', 'aria-label': networkTitle(platform) } : { 'aria-hidden': true })}
    >
      {shape && <Shape {...shape} />}
    </svg>
  );
};

interface PillProps {
  readonly icon: IconName;
  readonly tone: Tone;
  readonly children: ReactNode;
}

/** A state: a colour, a shape and a word. */
export const Pill = ({ icon, tone, children }: PillProps) => (
  <span className={`pill tone-${tone}`}>
    <Icon name={icon} size={13} />
    <span className="cut">{children}</span>
  </span>
);
