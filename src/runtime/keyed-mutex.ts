/** Gives those of this process who have lost a race for a stream their turns, so that they race each other no more. */
export class StreamTurns {
  private readonly queues = new Map<string, Promise<void>>();

  /** Waits until everyone has ended who asked before. @returns how to end one's own turn */
  async take(stream: string): Promise<() => void> {
    const before = this.queues.get(stream) ?? Promise.resolve();
    let leave: () => void = () => undefined;
    const own = new Promise<void>((resolve) => (leave = resolve));
    const end = before.then(() => own);
    this.queues.set(stream, end);
    await before;
    return () => {
      leave();
      if (this.queues.get(stream) === end) this.queues.delete(stream);
    };
  }
}
