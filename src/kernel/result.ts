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

/**
 * Returns an error's message as a single log line. If Node tried several addresses, its error has no message, so this
 * joins the distinct messages of the attempts.
 */
export const reasonOf = (error: unknown): string => {
  // Checked by shape, not by class: Node's own errors may come from another realm.
  if (typeof error !== 'object' || error === null) return String(error);
  const { errors, message, name } = error as { errors?: unknown; message?: unknown; name?: unknown };
  if (Array.isArray(errors) && errors.length > 0) return [...new Set(errors.map(reasonOf))].join('; ');
  if (typeof message === 'string' && message !== '') return message;
  return typeof name === 'string' && name !== '' ? name : 'no reason given';
};
