/** A body that cannot be read. The network words the answer. */
export class BodyProblem extends Error {
  constructor(
    readonly status: 400 | 413,
    message: string,
  ) {
    super(message);
  }
}
