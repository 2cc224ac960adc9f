import type { Problem } from '../payload/payload.js';

/** How a refused payload is answered (D-5): 422 breaks the schema, 400 is refused for its content. */
export type RefusalStatus = 400 | 422;

/** A payload that was refused: every problem at once, at most 50 (D-6). */
export interface Refused {
  readonly ok: false;
  readonly status: RefusalStatus;
  readonly problems: readonly Problem[];
}

/** More of them say nothing new to whoever reads the answer (D-6). */
const MAX_PROBLEMS = 50;

/** The problems of one payload, as they are found. */
export class ProblemList {
  private readonly problems: Problem[] = [];
  private status: RefusalStatus = 400;

  /** True when nothing that is yet to be found could change the answer. */
  get isFull(): boolean {
    return this.problems.length >= MAX_PROBLEMS && this.status === 422;
  }

  get isEmpty(): boolean {
    return this.problems.length === 0;
  }

  /**
   * Adds a problem. One of the schema outweighs those of content (D-43), so it finds room even where fifty of those
   * were found before.
   * @param what follows the path in the message: `must be a string, not an array`.
   */
  add(status: RefusalStatus, path: string, code: string, what: string): void {
    this.put(status, { path, code, message: `${path === '' ? 'the body' : path} ${what}` });
  }

  /** Adds problems whose messages are whole sentences. */
  addAll(status: RefusalStatus, problems: readonly Problem[]): void {
    for (const problem of problems) this.put(status, problem);
  }

  private put(status: RefusalStatus, problem: Problem): void {
    if (this.problems.length < MAX_PROBLEMS) this.problems.push(problem);
    else if (status > this.status) this.problems[MAX_PROBLEMS - 1] = problem;
    if (status > this.status) this.status = status;
  }

  refused(): Refused {
    return { ok: false, status: this.status, problems: this.problems };
  }
}
