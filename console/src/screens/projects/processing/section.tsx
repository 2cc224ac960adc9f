import { type ReactNode, useState } from 'react';
import { Icon } from '../../../components/icon.js';

/** A collapsible section for one processing step, initially open if the project uses the step. */
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
  /** A summary of the settings in a word or two, visible even when the section is collapsed. */
  readonly state: ReactNode;
  readonly isUsed: boolean;
  /** A problem with the step as a whole. */
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
