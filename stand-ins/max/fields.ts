import { badPayload } from './api-error.js';

/** The members of a JSON object. */
export type Fields = Readonly<Record<string, unknown>>;

/** Reads an object. @param name the field that must be an object */
export const fieldsOf = (value: unknown, name: string): Fields => {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Fields;
  throw badPayload(`${name}: expected an object`);
};
