/** Calls in flight by their identity. Identical calls at the same time share one. */
export class SharedCalls<T> {
  private readonly inFlight = new Map<string, Promise<T>>();

  /** Joins the call of this identity that is in flight, or starts it. */
  share(identity: string, start: () => Promise<T>): Promise<T> {
    const joined = this.inFlight.get(identity);
    if (joined) return joined;
    const call = start();
    this.inFlight.set(identity, call);
    const forget = (): void => void this.inFlight.delete(identity);
    call.then(forget, forget); // before the callers go on
    return call;
  }
}
