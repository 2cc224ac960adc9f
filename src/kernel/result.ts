/**
 * A rejection by a business rule: a value, not an exception (an exception means a 5xx). `rejection` is a stable
 * snake_case code. `figures` explain the reason in numbers (D-36).
 */
export interface Rejection<Code extends string = string> {
  readonly rejection: Code;
  readonly message: string;
  readonly figures?: Readonly<Record<string, string | number | boolean | null | readonly string[]>>;
}

/** Creates a {@link Rejection}. */
export const reject = <Code extends string>(
  rejection: Code,
  message: string,
  figures?: Rejection['figures'],
): Rejection<Code> => (figures ? { rejection, message, figures } : { rejection, message });

/** True if the result of a decision or a use case is a {@link Rejection}. */
export const isRejection = (value: unknown): value is Rejection =>
  typeof value === 'object' && value !== null && 'rejection' in value;
