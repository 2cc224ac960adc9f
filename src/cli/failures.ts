/** The gateway refused the request, or the command failed. The exit code is 1. */
export class Failure extends Error {
  constructor(
    readonly code: string,
    message: string,
    /** HTTP status; null unless the gateway responded with an error. */
    readonly status: number | null = null,
  ) {
    super(`${code}: ${message}`);
  }
}

/** The command's arguments are not valid. The exit code is 2. */
export class WrongUsage extends Error {}

/** The gateway did not respond. The exit code is 3. */
export class NotReachable extends Error {
  /** True if the request may have arrived. */
  readonly mayHaveArrived: boolean;

  constructor(message: string, options: { cause?: unknown; mayHaveArrived?: boolean } = {}) {
    super(message, options);
    this.mayHaveArrived = options.mayHaveArrived ?? false;
  }
}
