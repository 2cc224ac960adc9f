import type { Json, JsonObject } from '../kernel/ids.js';
import type { Media } from '../payload/payload.js';
import type { PreviewCall } from './publisher.js';

/** A method call for an upload, to be made or to be previewed in the sandbox. */
export interface MethodCall {
  readonly method: string;
  readonly parameters: Readonly<Record<string, string>>;
}

/** Converts a call to its sandbox preview. */
export const toPreviewCall = ({ method, parameters }: MethodCall): PreviewCall => ({ method, request: parameters });

/** Placeholder for a field of the response to an earlier call of the same step. */
export const placeholderOf = (field: string, method: string): string => `<${field} of ${method}>`;

/** Placeholder for a medium's file. */
export const filePlaceholder = (url: Media['url']): string => `<file of ${url}>`;

/** Placeholder for the cover picture of a video, which is looked for when the post is sent (ADR-282). */
export const coverPlaceholder = (url: Media['url']): string => `<cover of ${url}, if it has one>`;

/**
 * Returns the preview of a file upload to a URL from an earlier response.
 * @param field form field for the file
 */
export const previewUpload = (address: string, field: string, url: Media['url']): PreviewCall => ({
  method: `POST ${address}`,
  request: { [field]: filePlaceholder(url) },
});

/**
 * Returns a step's request with every `{ "$from": "<step>.<field>" }` replaced by that field of the step's result.
 * @throws Error if there is no such field, which is a bug in the rendering
 */
export const resolveReferences = (request: JsonObject, results: Readonly<Record<string, JsonObject>>): JsonObject =>
  resolve(request, results) as JsonObject;

const resolve = (value: Json | undefined, results: Readonly<Record<string, JsonObject>>): Json | undefined => {
  if (typeof value !== 'object' || value === null) return value;
  if (isArray(value)) return value.map((item) => resolve(item, results) ?? null);
  const from = value['$from'];
  if (typeof from !== 'string') {
    const resolved: Record<string, Json | undefined> = {};
    for (const name of Object.keys(value)) resolved[name] = resolve(value[name], results);
    return resolved;
  }
  const dot = from.lastIndexOf('.');
  const answered = results[from.slice(0, dot)]?.[from.slice(dot + 1)];
  if (answered === undefined) throw new Error(`a rendered step refers to an unknown result: ${from}`);
  return answered;
};

const isArray = (value: Json): value is readonly Json[] => Array.isArray(value);
