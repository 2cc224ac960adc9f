/** After the body has been read: longer than any check takes, the signature over 5 MB (3 ms) included. */
const AFTER_BODY_MS = 10;
/** After the head, where the body does not come (D-7). */
const WITHOUT_BODY_MS = 1_000;

/**
 * The moment at which a request will get its 401, should it come to that: a fixed time after its body has been read, or
 * a second after this call where it does not come (D-7). What the checks take differs by microseconds from cause to
 * cause, which is enough to tell causes apart (bench -- unauthorized-timing); so the clock is set before any of them, and
 * the answer leaves when it is due, not when they are done.
 * @param body settles when the body has been read, or cannot be
 */
export const whenUnauthorizedIsDue = (body: Promise<unknown>): Promise<void> =>
  new Promise((resolve) => {
    const withoutBody = setTimeout(resolve, WITHOUT_BODY_MS);
    const afterBody = (): void => {
      clearTimeout(withoutBody);
      setTimeout(resolve, AFTER_BODY_MS);
    };
    body.then(afterBody, afterBody);
  });
