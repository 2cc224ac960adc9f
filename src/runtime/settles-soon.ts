/**
 * Returns whether a promise settles within a turn of the event loop, which means that it waits for no file or network.
 * Never rejects.
 */
export const settlesSoon = (promise: Promise<unknown>): Promise<boolean> =>
  Promise.race([
    promise.then(
      () => true,
      () => true,
    ),
    new Promise<boolean>((resolve) => setImmediate(resolve, false)),
  ]);
