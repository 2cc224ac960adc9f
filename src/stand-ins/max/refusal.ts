/** An error of MAX's API: `{code, message}` under an HTTP status (networks.md §3). */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(message);
  }
}

/** 400 `proto.payload`: the request is not what the schema says. */
export const badPayload = (sentence: string): Refusal => new Refusal(400, 'proto.payload', sentence);
