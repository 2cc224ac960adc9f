import './form.css';
import type { ReactNode } from 'react';

/** The last line of a form: a note and the buttons. */
export const FormEnd = ({ text, children }: { readonly text?: ReactNode; readonly children: ReactNode }) => (
  <div className="form-end">
    <span className="tertiary">{text}</span>
    <div className="row">{children}</div>
  </div>
);
