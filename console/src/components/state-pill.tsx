import './state-pill.css';
import type { ReactNode } from 'react';
import { Icon, type IconName, type Tone } from './icon.js';

/** A state: a colour, a shape and a word. */
export const Pill = ({
  icon,
  tone,
  children,
}: {
  readonly icon: IconName;
  readonly tone: Tone;
  readonly children: ReactNode;
}) => (
  <span className={`pill tone-${tone}`}>
    <Icon name={icon} size={13} />
    <span className="cut">{children}</span>
  </span>
);
