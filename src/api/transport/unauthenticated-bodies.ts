import { SERVICE_MESSAGES } from './messages.js';
import { HttpProblem } from './problem.view.js';

/** Maximum number of body bytes that a process holds for requests that are not authenticated yet (ADR-88). */
const MAX_HELD_BYTES = 33_554_432;
/** Maximum number of unauthenticated requests whose bodies a process reads at the same time (ADR-88). */
const MAX_READING = 1_000;

/**
 * Counts and limits the bytes that a process holds, and the bodies that it reads, for requests that are not
 * authenticated yet (ADR-88).
 */
export class UnauthenticatedBodies {
  private held = 0;
  private beingRead = 0;

  constructor(
    private readonly maxHeldBytes = MAX_HELD_BYTES,
    private readonly maxReading = MAX_READING,
  ) {}

  get heldBytes(): number {
    return this.held;
  }

  /** Number of bodies being read. */
  get reading(): number {
    return this.beingRead;
  }

  /** True while no more bytes may be held. */
  get isFull(): boolean {
    return this.held > this.maxHeldBytes;
  }

  /** Adds to the held bytes; a negative number releases bytes. */
  addHeldBytes(bytes: number): void {
    this.held += bytes;
  }

  /** Reserves a slot for reading a body; returns false if none is free. */
  startReading(): boolean {
    if (this.beingRead >= this.maxReading) return false;
    this.beingRead += 1;
    return true;
  }

  /** Releases a body's slot. */
  stopReading(): void {
    this.beingRead -= 1;
  }
}

const CODE = 'too_many_unauthenticated';

/** Returns the 503 for an unauthenticated request when the process handles too many such requests. */
export const busyProblem = (): HttpProblem => HttpProblem.withRetryAfter(1, 503, CODE, SERVICE_MESSAGES.overloaded);

/** True for {@link busyProblem}. */
export const isBusy = ({ code }: HttpProblem): boolean => code === CODE;
