/**
 * Returns the outcome of a promise, or rejects if it takes longer than the limit. A later outcome is ignored.
 * @param limitMs above 0
 * @param createError creates the error to reject with
 */
export const withTimeLimit = async <T>(promise: Promise<T>, limitMs: number, createError: () => Error): Promise<T> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(createError()), limitMs);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
};
