import './controls.css';
import {
  type InputHTMLAttributes,
  type ReactNode,
  type Ref,
  type SelectHTMLAttributes,
  type TextareaHTMLAttributes,
  useId,
} from 'react';
import { type Api, isMissing, problemText } from '../api/management.js';
import { Icon } from './icon.js';

interface FieldProps {
  readonly label: ReactNode;
  /** Shown next to the label. */
  readonly hint?: ReactNode;
  readonly error?: ReactNode;
  /** What the gateway, or the form itself, found wrong; shown as the error. */
  readonly problem?: Api<'ErrorDetail'> | undefined;
  /** Shown for a problem that is just an empty field, instead of the gateway's words. */
  readonly missing?: string | undefined;
}

/** A control with its label, a hint next to the label, and any error, which screen readers announce. */
export const Field = ({
  label,
  hint = null,
  problem,
  missing,
  error = problem && ((isMissing(problem) && missing) || problemText(problem)),
  children,
}: FieldProps & {
  /** Renders the control with the ids that link it to its label, hint and error. */
  readonly children: (ids: {
    readonly id: string;
    readonly 'aria-describedby'?: string;
    readonly 'aria-invalid'?: true;
  }) => ReactNode;
}) => {
  const id = useId();
  const [hasHint, hasError] = [hint, error].map((text) => text !== undefined && text !== null && text !== false);
  const described = [hasHint && `${id}-hint`, hasError && `${id}-error`].filter(Boolean).join(' ');
  return (
    <div className="field">
      <div className="field-head">
        <label htmlFor={id}>{label}</label>
        {hasHint && (
          <span className="tertiary" id={`${id}-hint`}>
            {hint}
          </span>
        )}
      </div>
      {children({
        id,
        ...(described !== '' && { 'aria-describedby': described }),
        ...(hasError && { 'aria-invalid': true as const }),
      })}
      {hasError && (
        <p className="field-error tone-fail" id={`${id}-error`} role="alert">
          <Icon name="failed" size={14} /> <span>{error}</span>
        </p>
      )}
    </div>
  );
};

/** The properties of a control with a label, whose `onChange` receives the value. */
type FieldOf<Control> = FieldProps &
  Omit<Control, 'onChange'> & { readonly onChange: (value: string) => void; readonly className?: string };

/** Gives a control the focus when it appears: browsers do so for one control of a page only. */
export const focusAtOnce = (control: HTMLElement | null): void => control?.focus();

/** A single-line text input. */
export const TextInput = ({
  className = '',
  autoFocus: isFocused = false,
  ...rest
}: InputHTMLAttributes<HTMLInputElement>) => (
  <input
    className={`input ${className}`}
    autoComplete="off"
    spellCheck={false}
    {...(isFocused && { ref: focusAtOnce })}
    {...rest}
  />
);

/** A single-line text input with its label. */
export const TextField = ({
  label,
  hint,
  error,
  problem,
  missing,
  onChange,
  ...rest
}: FieldOf<InputHTMLAttributes<HTMLInputElement>>) => (
  <Field {...{ label, hint, error, problem, missing }}>
    {(ids) => <TextInput {...ids} {...rest} onChange={(event) => onChange(event.target.value)} />}
  </Field>
);

/** A multi-line text input with its label. */
export const AreaField = ({
  label,
  hint,
  error,
  problem,
  onChange,
  className = '',
  ...rest
}: FieldOf<TextareaHTMLAttributes<HTMLTextAreaElement>> & { readonly ref?: Ref<HTMLTextAreaElement> }) => (
  <Field {...{ label, hint, error, problem }}>
    {(ids) => (
      <textarea
        className={`input area ${className}`}
        {...ids}
        {...rest}
        onChange={(event) => onChange(event.target.value)}
      />
    )}
  </Field>
);

/** A drop-down list for choosing one value, using the browser's native control. */
export const Select = ({ className = '', children, ...rest }: SelectHTMLAttributes<HTMLSelectElement>) => (
  <span className={`select ${className}`}>
    <select {...rest}>{children}</select>
    <Icon name="chevronDown" size={12} />
  </span>
);

/** A drop-down list with its label. */
export const SelectField = ({
  label,
  hint,
  error,
  problem,
  onChange,
  options = [],
  placeholder,
  children,
  ...rest
}: FieldOf<SelectHTMLAttributes<HTMLSelectElement>> & {
  /** Shown while nothing is chosen. */
  readonly placeholder?: string;
  /** Values and their labels, after the children. */
  readonly options?: readonly (readonly [value: string, label: string])[];
}) => (
  <Field {...{ label, hint, error, problem }}>
    {(ids) => (
      <Select {...ids} {...rest} onChange={(event) => onChange(event.target.value)}>
        {placeholder !== undefined && (
          <option value="" disabled>
            {placeholder}
          </option>
        )}
        {children}
        {options.map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </Select>
    )}
  </Field>
);

/** A checkbox with its label. */
export const Checkbox = ({
  children,
  ...rest
}: Omit<InputHTMLAttributes<HTMLInputElement>, 'type'> & { readonly children: ReactNode }) => (
  <label className="checkbox">
    <input type="checkbox" {...rest} />
    <span>{children}</span>
  </label>
);

interface SegmentedProps<T extends string> {
  /** Label of the group, for screen readers. */
  readonly label: string;
  readonly value: T;
  readonly options: readonly { readonly value: T; readonly label: ReactNode }[];
  readonly onChange: (value: T) => void;
}

/** A switch between a few views or values. */
export const Segmented = <T extends string>({ label, value, options, onChange }: SegmentedProps<T>) => (
  <div className="segmented" role="group" aria-label={label}>
    {options.map((option) => (
      <button
        key={option.value}
        type="button"
        aria-pressed={option.value === value}
        onClick={() => onChange(option.value)}
      >
        {option.label}
      </button>
    ))}
  </div>
);

interface ChipProps {
  readonly isOn: boolean;
  readonly onClick: () => void;
  readonly children: ReactNode;
}

/** A toggle button for a filter or an option. */
export const Chip = ({ isOn, onClick, children }: ChipProps) => (
  <button type="button" className="chip" aria-pressed={isOn} onClick={onClick}>
    {children}
  </button>
);

interface MeterProps {
  readonly value: number;
  readonly max: number;
  readonly label: string;
}

/** A bar that shows how much of a limit has been used. */
export const Meter = ({ value, max, label }: MeterProps) => (
  <svg className="meter" viewBox="0 0 100 6" preserveAspectRatio="none" role="img" aria-label={label}>
    <rect width="100" height="6" className="meter-ground" />
    <rect width={max > 0 ? Math.min(100, (value / max) * 100) : 0} height="6" className="meter-value" />
  </svg>
);
