/** Parses JSON; returns undefined if the body is not valid JSON. */
export const parseJson = (body: Buffer): unknown => {
  try {
    return JSON.parse(body.toString()) as unknown;
  } catch {
    return undefined;
  }
};

/** Parses a JSON object; returns null for anything else. */
export const parseObject = (body: Buffer): Readonly<Record<string, unknown>> | null => {
  const value = parseJson(body);
  return isObject(value) ? value : null;
};

/** True for JSON objects, but not for arrays or null. */
export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
