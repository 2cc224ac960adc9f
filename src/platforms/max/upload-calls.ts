import type { ShownCall, Step } from '../publisher.js';
import { answered, uploadTo } from '../shown-calls.js';
import type { MaxCall } from './call.js';
import type { MaxMediaType } from './render.js';

/** Asks where a file goes: as an upload makes the call, and as the sandbox shows it. */
export const uploadAddress = (type: MaxMediaType): Pick<MaxCall, 'method' | 'path' | 'query'> => ({
  method: 'POST',
  path: '/uploads',
  query: { type },
});

/** The field of the form that carries a file. */
export const FILE_FIELD = 'data';

/** The calls of a step, with `<…>` for what only an earlier one tells (D-38). */
export const shownCalls = (step: Step): readonly ShownCall[] => {
  if (step.visible) return [step];
  const { method: verb, path, query } = uploadAddress(step.request['type'] as MaxMediaType);
  const method = `${verb} ${path}`;
  return [{ method, request: query }, uploadTo(answered('url', method), FILE_FIELD, step.request['url'] as string)];
};
