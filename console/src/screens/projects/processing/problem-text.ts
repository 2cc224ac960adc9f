import { type Problems, problemText } from '../../../api/management.js';
import { problemIn } from './draft.js';
import { processingMessages as m } from './messages.js';

/** Returns a function that describes the problem at a path in the draft, or returns undefined if there is none. */
export const useProblemText =
  (problems: Problems): ((path: string) => string | undefined) =>
  (path) => {
    const problem = problemIn(problems, path);
    if (!problem) return undefined;
    return ['missing', 'empty'].includes(problem.code) &&
      problem.path.includes('.') &&
      !/filters\[\d+\]$/.test(problem.path)
      ? m.required
      : problemText(problem);
  };
