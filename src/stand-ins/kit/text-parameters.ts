import type { StandInCall } from './network.js';

/** Parameters of a call, all strings. */
export type TextParameters = Readonly<Record<string, string>>;

/** Returns the text parameters from query, form or multipart, which are equivalent. */
export const textParametersOf = ({ query, fields }: StandInCall): TextParameters =>
  Object.fromEntries(
    Object.entries({ ...Object.fromEntries(query), ...fields }).filter(
      (field): field is [string, string] => typeof field[1] === 'string',
    ),
  );

/** Returns the address at which the client reached the stand-in. */
export const originOf = ({ headers }: StandInCall): string => `http://${headers.host ?? '127.0.0.1'}`;
