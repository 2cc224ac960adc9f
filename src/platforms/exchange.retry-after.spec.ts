import { readRetryAfter } from './exchange.js';

const date = 'Fri, 14 Mar 2025 12:00:00 GMT';

it.each([
  [{ 'retry-after': '7' }, '7'],
  [{ 'retry-after': 'Fri, 14 Mar 2025 12:01:30 GMT', date }, '90'],
  [{ 'retry-after': 'Fri, 14 Mar 2025 11:00:00 GMT', date }, '0'],
  [{ 'retry-after': 'soon' }, 'soon'],
  [{ 'retry-after': ' ' }, undefined],
  [{}, undefined],
])('reads a delay in seconds or as a date: %p is %p s', (headers, seconds) => {
  expect(readRetryAfter(headers)).toBe(seconds);
});
