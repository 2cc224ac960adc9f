import { type ReactNode, useState } from 'react';
import { Icon } from '../../../components/icon.js';

/** A collapsible part of the processing, initially open if the project uses it. */
export const Section = ({
  title,
  explanation,
  state,
  isUsed,
  error,
  children,
}: {
  readonly title: string;
  readonly explanation: string;
  /** A summary of its settings in a word or two, visible even while it is closed. */
  readonly state: ReactNode;
  readonly isUsed: boolean;
  /** A problem of the part as a whole. */
  readonly error?: string | undefined;
  readonly children: ReactNode;
}) => {
  const [isOpen, setIsOpen] = useState(isUsed);
  return (
    <details
      className="processing-section"
      open={isOpen || error !== undefined}
      onToggle={(event) => setIsOpen(event.currentTarget.open)}
    >
      <summary>
        <Icon name="chevronRight" size={14} />
        <h3>{title}</h3>
        <span className={isUsed ? 'secondary' : 'tertiary'}>{state}</span>
      </summary>
      <div className="processing-fields">
        <p className="secondary">{explanation}</p>
        {error !== undefined && (
          <p className="tone-fail" role="alert">
            {error}
          </p>
        )}
        {children}
      </div>
    </details>
  );
};
