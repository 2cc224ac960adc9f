/**
 * A refusal that is part of the business: a value, not an exception (an exception means a 5xx).
 * `code` is snake_case and stable; `figures` are what a person needs to see why (D-36).
 */
export interface Rejection<Code extends string = string> {
  readonly rejection: Code;
  readonly message: string;
  readonly figures?: Readonly<Record<string, string | number | boolean | null>>;
}

/** Makes a {@link Rejection}. */
export const reject = <Code extends string>(
  rejection: Code,
  message: string,
  figures?: Rejection['figures'],
): Rejection<Code> => (figures ? { rejection, message, figures } : { rejection, message });

/** Tells a {@link Rejection} from whatever else a decision or a use case answers. */
export const isRejection = (value: unknown): value is Rejection =>
  typeof value === 'object' && value !== null && 'rejection' in value;
