/** Thrown for a body that cannot be read. The network decides how to word the response. */
export class BodyProblem extends Error {
  constructor(
    readonly status: 400 | 413,
    message: string,
  ) {
    super(message);
  }
}
