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

/**
 * Returns the preview of a file upload to a URL from an earlier response.
 * @param field form field for the file
 */
export const previewUpload = (address: string, field: string, url: Media['url']): PreviewCall => ({
  method: `POST ${address}`,
  request: { [field]: filePlaceholder(url) },
});
