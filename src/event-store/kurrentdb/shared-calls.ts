/** Lets identical concurrent calls share one call. */
export class SharedCalls<T> {
  private readonly inFlight = new Map<string, Promise<T>>();

  /** Joins the call in flight with this identity, or starts one. */
  share(identity: string, start: () => Promise<T>): Promise<T> {
    const joined = this.inFlight.get(identity);
    if (joined) return joined;
    const call = start();
    this.inFlight.set(identity, call);
    const forget = (): void => void this.inFlight.delete(identity);
    call.then(forget, forget); // before the callers continue
    return call;
  }
}
