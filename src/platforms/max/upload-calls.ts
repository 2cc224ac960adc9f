import { placeholderOf, previewUpload } from '../preview-calls.js';
import type { PreviewCall, Step } from '../publisher.js';
import type { MaxCall } from './call.js';
import type { MaxMediaType } from './render.js';

/** Returns the call that requests an upload URL. */
export const uploadAddressCall = (type: MaxMediaType): Pick<MaxCall, 'method' | 'path' | 'query'> => ({
  method: 'POST',
  path: '/uploads',
  query: { type },
});

/** Form field that holds the file. */
export const FILE_FIELD = 'data';

/** Returns the calls of a step, with placeholders for values from earlier responses (D-38). */
export const previewCalls = (step: Step): readonly PreviewCall[] => {
  if (step.visible) return [step];
  const { method: verb, path, query } = uploadAddressCall(step.request['type'] as MaxMediaType);
  const method = `${verb} ${path}`;
  return [
    { method, request: query },
    previewUpload(placeholderOf('url', method), FILE_FIELD, step.request['url'] as string),
  ];
};
