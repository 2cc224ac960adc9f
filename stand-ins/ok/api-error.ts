import type { StandInAnswer } from '../kit/network.js';

/** An OK API error, `{"error_code": …}`, with the network's own message. */
export class ApiError extends Error {
  constructor(
    readonly errorCode: number,
    readonly errorMsg: string,
  ) {
    super(errorMsg);
  }
}

/** Returns the answer for an error, which has the code in a header too. */
export const errorAnswer = ({ errorCode, errorMsg }: ApiError): StandInAnswer => ({
  status: 200,
  body: { error_code: errorCode, error_msg: errorMsg, error_data: null },
  headers: { 'invocation-error': String(errorCode) },
});

/** Creates error 100: a parameter is missing or invalid. */
export const badParameter = (problem: string): ApiError => new ApiError(100, `PARAM : ${problem}`);
