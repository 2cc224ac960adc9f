import { retryAfterOf } from './retry-after.js';

const date = 'Fri, 14 Mar 2025 12:00:00 GMT';

it.each([
  [{ 'retry-after': '7' }, '7'],
  [{ 'retry-after': 'Fri, 14 Mar 2025 12:01:30 GMT', date }, '90'],
  [{ 'retry-after': 'Fri, 14 Mar 2025 11:00:00 GMT', date }, '0'],
  [{ 'retry-after': 'soon' }, 'soon'],
  [{ 'retry-after': ' ' }, undefined],
  [{}, undefined],
])('a wait is named in seconds, or by its end: %p is %p s', (headers, seconds) => {
  expect(retryAfterOf(headers)).toBe(seconds);
});
