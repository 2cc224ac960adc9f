/** An error of OK's API, `{"error_code": …}`, in the network's own words. */
export class ApiError extends Error {
  constructor(
    readonly errorCode: number,
    readonly errorMsg: string,
  ) {
    super(errorMsg);
  }
}

/** Creates error 100: a parameter is missing or invalid. */
export const badParameter = (problem: string): ApiError => new ApiError(100, `PARAM : ${problem}`);
