/** A tool call that failed. Its message tells the assistant what failed and what to do. */
export class ToolError extends Error {
  constructor(
    message: string,
    /** Machine-readable fields. */
    readonly details?: Readonly<Record<string, unknown>>,
  ) {
    super(message);
    this.name = 'ToolError';
  }
}

/** A tool call that was refused before it sent a request to `/v1`, so no other request-log entry records it. */
export class RefusedArguments extends ToolError {
  constructor(
    message: string,
    /** The cause in the request log; snake_case. */
    readonly reason: 'invalid_arguments' | 'invalid_targets' = 'invalid_arguments',
  ) {
    super(message);
    this.name = 'RefusedArguments';
  }
}
