import { Unavailable } from '../port.js';

/** What a call ends with that did not answer in time: whether the server has done it is not known. */
export class TimedOut extends Unavailable {
  constructor(what: string, timeoutMs: number) {
    super(`${what}: no answer within ${timeoutMs} ms`);
    this.name = 'TimedOut';
  }
}

/**
 * Waits for an answer, but not for ever: the client's own deadlines are not kept when the server is frozen.
 * @param timeoutMs above 0.
 * @throws TimedOut the answer, should it still come, is dropped.
 */
export const withinTime = async <T>(answer: Promise<T>, timeoutMs: number, what: string): Promise<T> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new TimedOut(what, timeoutMs)), timeoutMs);
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
};
