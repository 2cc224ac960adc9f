import type { ProblemList } from '../../validation/problem-list.js';
import { described } from '../../validation/wording.js';

/** More than any owner manages by hand. */
const MAX_IDS = 200;

/** Checks a list of public ids, each once. Whether they name anything is asked later. @param value an array, or told before */
export const checkIds = (value: unknown, path: string, prefix: 'tgt' | 'prj', problems: ProblemList): void => {
  if (!Array.isArray(value)) return;
  if (value.length > MAX_IDS)
    problems.add(422, path, 'too_many', `has ${value.length} items; at most ${MAX_IDS} are allowed`);
  const seen = new Set<unknown>();
  for (const [index, id] of (value as unknown[]).slice(0, MAX_IDS).entries()) {
    const place = `${path}[${index}]`;
    if (typeof id !== 'string' || !id.startsWith(`${prefix}_`))
      problems.add(422, place, 'wrong_type', `must be an id such as "${prefix}_…", not ${described(id)}`);
    else if (seen.has(id)) problems.add(422, place, 'duplicate', `names ${described(id)} a second time: name it once`);
    seen.add(id);
  }
};
