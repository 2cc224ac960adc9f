/** An answer `{"error_code": …}` of OK, in the network's own words. */
export class Refusal extends Error {
  constructor(
    readonly errorCode: number,
    readonly errorMsg: string,
  ) {
    super(errorMsg);
  }
}

/** 100: a parameter is missing or cannot be. */
export const badParameter = (what: string): Refusal => new Refusal(100, `PARAM : ${what}`);
