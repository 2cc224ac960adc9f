import { type Api, GatewayError } from './management.js';

/** Problems in a request body, by field path: `credentials.chat_id`. */
export type Problems = Readonly<Record<string, Api<'ErrorDetail'>>>;

/** Thrown by a form that does not send what it can see is wrong. */
export class FieldProblems extends Error {
  constructor(readonly problems: Problems) {
    super(Object.keys(problems).join());
  }
}

/**
 * Returns the problems in a rejected request body, or those that the form found itself. Null for other errors, and if any problem has no field and so needs
 * a general message.
 */
export const readProblems = (error: unknown): Problems | null => {
  if (error instanceof FieldProblems) return error.problems;
  if (!(error instanceof GatewayError) || error.status !== 422) return null;
  const inFields = error.details.filter(({ path }) => path !== '');
  if (inFields.length === 0 || inFields.length < error.details.length) return null;
  const problems: Record<string, Api<'ErrorDetail'>> = {};
  for (const detail of inFields) problems[detail.path] ??= detail;
  return problems;
};

/** Returns the problem for a field that was left empty. */
export const missingProblem = (path: string): Problems => ({ [path]: { path, code: 'missing', message: path } });

/** Returns the gateway's message about a field, without the leading path: "Must be a number such as …". */
export const problemText = ({ path, message }: Api<'ErrorDetail'>): string => {
  const text = message.startsWith(path) ? message.slice(path.length).trimStart() : message;
  return text.charAt(0).toUpperCase() + text.slice(1);
};

/** Returns whether a problem is just that the field is empty. */
export const isMissing = ({ code }: Api<'ErrorDetail'>): boolean => code === 'empty' || code === 'missing';
