import type { Media } from '../payload/payload.js';
import type { ShownCall } from './publisher.js';

/** A method and its parameters: as an upload makes the call, and as the sandbox shows it. */
export interface MethodCall {
  readonly method: string;
  readonly parameters: Readonly<Record<string, string>>;
}

/** A call as it is shown; credentials are none of its parameters. */
export const shown = ({ method, parameters }: MethodCall): ShownCall => ({ method, request: parameters });

/** Stands for what the answer of an earlier call of the same step tells. */
export const answered = (field: string, method: string): string => `<${field} of ${method}>`;

/** Stands for a medium's file. */
export const fileOf = (url: Media['url']): string => `<file of ${url}>`;

/** The upload of a file, to an address that an earlier call answers. @param field of the form, which carries the file */
export const uploadTo = (address: string, field: string, url: Media['url']): ShownCall => ({
  method: `POST ${address}`,
  request: { [field]: fileOf(url) },
});
