/** A MAX API error: `{code, message}` with an HTTP status (networks.md §3). */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(message);
  }
}

/** Creates error 400 `proto.payload`: the request violates the schema. */
export const badPayload = (sentence: string): ApiError => new ApiError(400, 'proto.payload', sentence);
