import { aboutField } from './wording.js';

/** One problem of a body: its path, a code, and a message that says what is wrong and what to do (D-6). */
export interface Problem {
  /** `entities[2].offset`; empty for the body as a whole. */
  readonly path: string;
  readonly code: string;
  readonly message: string;
}

/** Status for a rejected body (D-5): 422 if it breaks the schema, 400 if it is rejected for its content. */
export type RefusalStatus = 400 | 422;

/** A rejected body with all its problems, at most 50 (D-6). */
export interface Refused {
  readonly ok: false;
  readonly status: RefusalStatus;
  readonly problems: readonly Problem[];
}

/** Maximum number of problems in one response (D-6). */
export const MAX_PROBLEMS = 50;

/** Collects the problems of one body. */
export class ProblemList {
  private readonly problems: Problem[] = [];
  private status: RefusalStatus = 400;

  /** True if further problems could not change the response. */
  get isFull(): boolean {
    return this.problems.length >= MAX_PROBLEMS && this.status === 422;
  }

  /** Number of problems found so far. */
  get size(): number {
    return this.problems.length;
  }

  get isEmpty(): boolean {
    return this.problems.length === 0;
  }

  /**
   * Adds a problem. A schema problem outweighs content problems (D-43), and replaces the last one if the list is full.
   * @param predicate follows the path in the message: `must be a string, not an array`
   */
  add(status: RefusalStatus, path: string, code: string, predicate: string): void {
    this.put(status, { path, code, message: aboutField(path, predicate) });
  }

  /** Adds problems with complete messages. */
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
