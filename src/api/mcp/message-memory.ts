import type { MemoryReservation } from '../../runtime/memory-budget.js';

/**
 * The memory reserved for a large message. It is released once the message is answered and all of its tool calls have
 * finished, because a call continues even if the client disconnects.
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

  /** Marks the message as answered or its client as disconnected. */
  markAnswered(): void {
    this.isAnswered = true;
    this.releaseUnused();
  }

  private releaseUnused(): void {
    if (this.isAnswered && this.running === 0) this.reservation.release();
  }
}
