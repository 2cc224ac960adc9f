import './banner.css';
import type { ReactNode } from 'react';
import { Icon, type IconName, type Tone } from '../../components/icon.js';

/** A box above the content that shows what a post or publication is waiting for, with buttons to resolve it. */
export const BannerFrame = ({
  icon,
  tone,
  title,
  actions,
  children,
}: {
  readonly icon: IconName;
  readonly tone: Tone;
  readonly title: ReactNode;
  readonly actions: ReactNode;
  readonly children: ReactNode;
}) => (
  <section className={`card banner tone-${tone}`} aria-labelledby="banner-title">
    <Icon name={icon} tone={tone} size={20} />
    <div className="banner-text">
      <h2 id="banner-title">{title}</h2>
      {children}
    </div>
    <div className="banner-actions">{actions}</div>
  </section>
);
