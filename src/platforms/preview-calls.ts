import type { Media } from '../payload/payload.js';
import type { PreviewCall } from './publisher.js';

/** A call for an upload, either to make it or to preview it in the sandbox. */
export interface MethodCall {
  readonly method: string;
  readonly parameters: Readonly<Record<string, string>>;
}

/** Returns a call as the sandbox previews it. */
export const toPreviewCall = ({ method, parameters }: MethodCall): PreviewCall => ({ method, request: parameters });

/** Placeholder for a field of the response to an earlier call of the same step. */
export const placeholderOf = (field: string, method: string): string => `<${field} of ${method}>`;

/** Placeholder for a medium's file. */
export const filePlaceholder = (url: Media['url']): string => `<file of ${url}>`;

/**
 * Returns the preview of a file's upload to the URL in the response to an earlier call.
 * @param field form field for the file
 */
export const previewUpload = (address: string, field: string, url: Media['url']): PreviewCall => ({
  method: `POST ${address}`,
  request: { [field]: filePlaceholder(url) },
});
