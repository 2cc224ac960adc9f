/** After the body has been read: longer than any check takes, the signature over 5 MB (3 ms) included. */
const AFTER_BODY_MS = 10;
/** After the head, where the body does not come (D-7). */
const WITHOUT_BODY_MS = 1_000;
/** Within so long of each other requests share one timer; they then leave by so much too early. */
const SHARED_MS = 0.5;

/** Moments that are a fixed time away, each shared by all who ask for it within half a millisecond. */
const momentsAfter = (ms: number): (() => Promise<void>) => {
  let askedAt = -Infinity;
  let moment = Promise.resolve();
  return () => {
    const now = performance.now();
    if (now - askedAt > SHARED_MS) {
      askedAt = now;
      moment = new Promise((resolve) => void setTimeout(resolve, ms).unref());
    }
    return moment;
  };
};

const afterBody = momentsAfter(AFTER_BODY_MS);
const withoutBody = momentsAfter(WITHOUT_BODY_MS);

/**
 * The moment at which a request will get its 401, should it come to that: a fixed time after its body has been read, or
 * a second after its head where it does not come (D-7). What the checks take differs by microseconds from cause to
 * cause, which is enough to tell causes apart (bench -- unauthorized-timing); so the clocks are set before any of them,
 * when head and body are there, and the answer leaves when it is due, not when they are done.
 */
export class UnauthorizedTime {
  private readonly withoutBody = withoutBody();
  private afterBody: Promise<void> | null = null;

  /** The body has been read, or cannot be. */
  bodyIsRead(): void {
    this.afterBody ??= afterBody();
  }

  /** Waits for the moment. @param body settles after {@link bodyIsRead} */
  async isDue(body: Promise<unknown>): Promise<void> {
    await (this.afterBody ?? Promise.race([this.withoutBody, body.then(() => this.afterBody)]));
  }
}
