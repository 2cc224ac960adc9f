/** The gateway refused, or what was asked for failed: exit code 1. */
export class Failure extends Error {
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(`${code}: ${message}`);
  }
}

/** The command cannot be understood: exit code 2. */
export class WrongUsage extends Error {}

/** No gateway answers: exit code 3. */
export class NotReachable extends Error {}
