/** The gateway refused, or the request failed: exit code 1. */
export class Failure extends Error {
  constructor(
    readonly code: string,
    message: string,
    /** HTTP status; null unless the gateway answered with an error. */
    readonly status: number | null = null,
  ) {
    super(`${code}: ${message}`);
  }
}

/** The command cannot be understood: exit code 2. */
export class WrongUsage extends Error {}

/** No gateway answers: exit code 3. */
export class NotReachable extends Error {
  /** True if the request may have arrived. */
  readonly mayHaveArrived: boolean;

  constructor(message: string, options: { cause?: unknown; mayHaveArrived?: boolean } = {}) {
    super(message, options);
    this.mayHaveArrived = options.mayHaveArrived ?? false;
  }
}
