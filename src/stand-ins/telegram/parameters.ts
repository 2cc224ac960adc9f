import type { StandInCall } from '../kit/network.js';
import type { UploadedFile } from '../kit/uploaded-file.js';

/** A call's parameters as the Bot API reads them: from the query, a form, multipart or JSON, all to the same effect. */
export class Parameters {
  private readonly values: Readonly<Record<string, unknown>>;

  constructor(private readonly call: StandInCall) {
    this.values = { ...Object.fromEntries(call.query), ...call.fields };
  }

  /** A string; numbers and booleans as JSON writes them; empty where there is none. */
  string(name: string): string {
    const value = this.values[name];
    if (typeof value === 'string') return value;
    return typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
  }

  /** An object or array, sent as such or as JSON in a string; undefined where there is none or it is no JSON. */
  json(name: string): unknown {
    const value = this.values[name];
    if (typeof value !== 'string') return value ?? undefined;
    try {
      return JSON.parse(value) as unknown;
    } catch {
      return undefined;
    }
  }

  /** Whether something was sent under this name. */
  has(name: string): boolean {
    const value = this.values[name];
    return value !== undefined && value !== null && value !== '';
  }

  /** A file of a multipart body. */
  file(name: string): UploadedFile | undefined {
    return this.call.files.get(name);
  }
}
