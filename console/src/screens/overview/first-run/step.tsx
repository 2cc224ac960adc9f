import { type ReactNode, useEffect, useRef } from 'react';
import { Icon } from '../../../components/icon.js';
import { firstRunMessages as m } from './messages.js';

export type StepState = 'done' | 'current' | 'later';

interface StepProps {
  readonly number: number;
  readonly state: StepState;
  readonly title: string;
  readonly text: ReactNode;
  /** Shown at the end of a completed step's line. */
  readonly action?: ReactNode;
  readonly children?: ReactNode;
}

/** One of the steps. A completed step takes one line; the current step shows its form. */
export const Step = ({ number, state, title, text, action, children }: StepProps) => {
  const heading = useRef<HTMLHeadingElement>(null);
  const before = useRef(state);
  useEffect(() => {
    // The button that completed the previous step is gone, so the focus would be lost.
    if (before.current !== 'current' && state === 'current') heading.current?.focus();
    before.current = state;
  }, [state]);
  return (
    <li className={`card step ${state}`} {...(state === 'current' && { 'aria-current': 'step' })}>
      <span className="step-number">
        {state === 'done' ? (
          <Icon name="published" tone="ok" size={26} label={m.stepDone} />
        ) : (
          <>
            <span className="visually-hidden">{m.step(number)}</span>
            <span aria-hidden="true">{number}</span>
          </>
        )}
      </span>
      <div className="step-head">
        <h2 ref={heading} tabIndex={-1}>
          {title}
        </h2>
        <p className="secondary">{text}</p>
      </div>
      {action !== undefined && <div className="step-action">{action}</div>}
      {children !== undefined && <div className="step-body">{children}</div>}
    </li>
  );
};
