import type { ControlFields, StandInAnswer } from './network.js';

/** Thrown for an invalid control request; the message names the field and its valid values. */
export class InvalidControlRequest extends Error {}

/** Returns a string. @throws InvalidControlRequest if it is missing or empty */
export const readString = (fields: ControlFields, name: string): string => {
  const value = fields[name];
  if (typeof value !== 'string' || value === '') throw new InvalidControlRequest(`${name} must be a string`);
  return value;
};

/** Returns one of the given values. @throws InvalidControlRequest for any other */
export const readChoice = <T extends string>(fields: ControlFields, name: string, values: readonly T[]): T => {
  const value = fields[name] as T;
  if (!values.includes(value)) throw new InvalidControlRequest(`${name} must be one of ${values.join(', ')}`);
  return value;
};

/** Revokes a token, or accepts it again: `{token, revoked?}`. */
export const revokeToken = (revokedTokens: Set<string>, fields: ControlFields): StandInAnswer => {
  const token = readString(fields, 'token');
  const { revoked = true } = fields;
  if (revoked === true) revokedTokens.add(token);
  else revokedTokens.delete(token);
  return { status: 200, body: { revoked: revokedTokens.has(token) } };
};

/**
 * Sets rate limits: `{on: true}` for the network's own limits, or limits by name; null for no limit. Turns off all
 * limits that are not set.
 */
export const setRateLimits = <T extends Readonly<Record<keyof T, number | null>>>(
  limits: { settings: T },
  own: T,
  { on, ...byName }: ControlFields,
): StandInAnswer => {
  const names = Object.keys(own);
  const settings: Record<string, number | null> = Object.fromEntries(names.map((name) => [name, null]));
  if (on === true) Object.assign(settings, own);
  for (const [name, value] of Object.entries(byName)) {
    if (!(name in settings))
      throw new InvalidControlRequest(`unknown rate limit ${name}; the limits are ${names.join(', ')}`);
    if (value !== null && !(typeof value === 'number' && value > 0))
      throw new InvalidControlRequest(`${name} must be above 0`);
    settings[name] = value;
  }
  limits.settings = settings as T;
  return { status: 200, body: settings };
};

/** Changes a group: `{title?, state?, error_code?, error_msg?}`; `error_code` null removes the error for posting. */
export const changeGroup = <State extends string, Problem>(
  group: { title: string; state: State; postingError: Problem | null },
  fields: ControlFields,
  states: readonly State[],
  errorOf: (code: number, message: string | undefined) => Problem,
): void => {
  const { title, state, error_code, error_msg } = fields;
  if (typeof title === 'string') group.title = title;
  if (state !== undefined) group.state = readChoice(fields, 'state', states);
  if (error_code === null) group.postingError = null;
  if (typeof error_code === 'number') group.postingError = errorOf(error_code, error_msg as string | undefined);
};
