/** A VK API error, `{"error": …}`, with the network's own message. */
export class ApiError extends Error {
  constructor(
    readonly errorCode: number,
    readonly errorMsg: string,
  ) {
    super(errorMsg);
  }
}

/** Creates error 100: a parameter is missing or invalid. */
export const badParameter = (problem: string): ApiError =>
  new ApiError(100, `One of the parameters specified was missing or invalid: ${problem}`);
