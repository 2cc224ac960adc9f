import type { MemoryReservation } from '../../runtime/memory-budget.js';

/**
 * The memory of a large message. It is released when the message is answered and none of its tool calls runs any more: a client
 * that has gone does not end a call.
 */
export class MessageMemory {
  private running = 0;
  private isAnswered = false;

  constructor(private readonly reservation: MemoryReservation) {}

  /** Runs a tool call of the message. */
  async during<T>(call: () => Promise<T>): Promise<T> {
    this.running += 1;
    try {
      return await call();
    } finally {
      this.running -= 1;
      this.releaseUnused();
    }
  }

  /** The message is answered, or its client has gone. */
  markAnswered(): void {
    this.isAnswered = true;
    this.releaseUnused();
  }

  private releaseUnused(): void {
    if (this.isAnswered && this.running === 0) this.reservation.release();
  }
}
