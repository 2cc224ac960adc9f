/** Resolves to true if a promise settles within a turn of the event loop, without waiting for I/O. Never rejects. */
export const settlesSoon = (promise: Promise<unknown>): Promise<boolean> =>
  Promise.race([
    promise.then(
      () => true,
      () => true,
    ),
    new Promise<boolean>((resolve) => setImmediate(resolve, false)),
  ]);
