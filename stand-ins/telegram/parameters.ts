import type { UploadedFile } from '../kit/media-store.js';
import { NetworkError, type StandInCall } from '../kit/network.js';

/** A Bot API error, `{"ok": false}`, with the real server's message. */
export class ApiError extends NetworkError {
  constructor(
    errorCode: number,
    description: string,
    readonly parameters?: { readonly retry_after?: number; readonly migrate_to_chat_id?: number },
  ) {
    super(description, {
      status: errorCode,
      body: { ok: false, error_code: errorCode, description, ...(parameters ? { parameters } : {}) },
      ...(parameters?.retry_after === undefined ? {} : { headers: { 'retry-after': String(parameters.retry_after) } }),
    });
  }
}

/**
 * Creates error 400 in the server's format: `Bad Request: ` and the sentence with a lower-case first letter; constants
 * such as `BUTTON_URL_INVALID` stay unchanged.
 */
export const badRequest = (sentence: string): ApiError => {
  const isConstant = /^[A-Z][A-Z_]/.test(sentence);
  return new ApiError(
    400,
    `Bad Request: ${isConstant ? sentence : sentence.charAt(0).toLowerCase() + sentence.slice(1)}`,
  );
};

/** A call's parameters. As in the Bot API, query, form, multipart and JSON are equivalent. */
export class Parameters {
  private readonly values: Readonly<Record<string, unknown>>;

  constructor(private readonly call: StandInCall) {
    this.values = { ...Object.fromEntries(call.query), ...call.fields };
  }

  /** Returns a parameter as a string, with numbers and booleans as JSON; an empty string if it is absent. */
  string(name: string): string {
    const value = this.values[name];
    if (typeof value === 'string') return value;
    return typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
  }

  /** Returns a text; an empty one if it is absent. @throws ApiError if it is not a text, which is a mistake */
  text(name: string): string {
    const value = this.values[name];
    if (value !== undefined && value !== null && typeof value !== 'string')
      throw badRequest(`${name} must be a String`);
    return value ?? '';
  }

  /** Returns some parameters as they were sent; absent ones are left out. */
  pick(...names: readonly string[]): Readonly<Record<string, unknown>> {
    return Object.fromEntries(names.filter((name) => this.has(name)).map((name) => [name, this.values[name]]));
  }

  /** Returns an object or array that was sent as JSON or as a JSON string; undefined if absent or invalid. */
  json(name: string): unknown {
    const value = this.values[name];
    if (typeof value !== 'string') return value ?? undefined;
    try {
      return JSON.parse(value) as unknown;
    } catch {
      return undefined;
    }
  }

  /** True if the parameter was sent and is not empty. */
  has(name: string): boolean {
    const value = this.values[name];
    return value !== undefined && value !== null && value !== '';
  }

  file(name: string): UploadedFile | undefined {
    return this.call.files.get(name);
  }
}
