import { NetworkError } from '../kit/network.js';

/** A MAX API error: `{code, message}` with an HTTP status (networks.md §3). */
export class ApiError extends NetworkError {
  constructor(status: number, code: string, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message, { status, body: { code, message }, headers });
  }
}

/** Creates error 400 `proto.payload`: the request violates the schema. */
export const badPayload = (sentence: string): ApiError => new ApiError(400, 'proto.payload', sentence);

/** The members of a JSON object. */
export type Fields = Readonly<Record<string, unknown>>;

/** Reads an object. @param name the field that must be an object */
export const fieldsOf = (value: unknown, name: string): Fields => {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Fields;
  throw badPayload(`${name}: expected an object`);
};
