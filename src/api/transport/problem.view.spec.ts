import { HttpProblem } from './problem.view.js';

const problem = () => HttpProblem.withMessage(400, 'invalid_payload', 'The text is missing.');

it('captures no stack trace: a flood of refused requests would pay for one each', () => {
  expect(problem().stack).not.toMatch(/\n\s+at /);
});

it('leaves the stack traces of other errors as they are', () => {
  problem();
  expect(new Error('another').stack).toMatch(/\n\s+at /);
});
