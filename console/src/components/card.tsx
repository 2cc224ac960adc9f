import './card.css';
import { type CSSProperties, type ReactNode, useId } from 'react';

interface CardProps {
  readonly title?: ReactNode;
  readonly aside?: ReactNode;
  /** Name of a box without a heading, for screen readers. */
  readonly label?: string;
  readonly className?: string;
  readonly children?: ReactNode;
}

/** A box with a heading. `aside` is shown to the right of the heading: a link, a figure, a switch. */
export const Card = ({ title, aside, label, className = '', children }: CardProps) => {
  const id = useId();
  const naming = title === undefined ? { 'aria-label': label } : { 'aria-labelledby': id };
  return (
    <section className={`card ${className}`} {...naming}>
      {title !== undefined && (
        <header>
          <h2 id={id}>{title}</h2>
          {aside !== undefined && <div className="card-aside tertiary">{aside}</div>}
        </header>
      )}
      {children}
    </section>
  );
};

interface PageHeadProps {
  readonly title: ReactNode;
  readonly children?: ReactNode;
  readonly actions?: ReactNode;
  /** Breadcrumb links to the parent screens. */
  readonly trail?: ReactNode;
}

/** The top of a screen: a heading, a summary below it, and the available actions. */
export const PageHead = ({ title, children, actions, trail }: PageHeadProps) => (
  <>
    {trail !== undefined && <nav className="trail">{trail}</nav>}
    <div className="page-head">
      <div>
        <h1>{title}</h1>
        {children !== undefined && <div className="page-summary">{children}</div>}
      </div>
      {actions !== undefined && <div className="page-actions">{actions}</div>}
    </div>
  </>
);

/** Things below each other. */
export const Stack = ({ children }: { readonly children: ReactNode }) => <div className="stack">{children}</div>;

interface ColumnsProps {
  /** Widths as of a grid. */
  readonly first?: string;
  readonly second?: string;
  /** True if both are as high as the higher one. */
  readonly isEven?: boolean;
  readonly children: ReactNode;
}

/** Two things side by side, or below each other in a narrow window. */
export const Columns = ({ first = '1fr', second = '1fr', isEven = false, children }: ColumnsProps) => (
  <div className={`columns ${isEven ? 'even' : ''}`} style={{ '--first': first, '--second': second } as CSSProperties}>
    {children}
  </div>
);
