import { chooseWaiting } from './overview-facts.js';

const numbered = (prefix: string, count: number): string[] => Array.from({ length: count }, (_, i) => `${prefix}${i}`);

describe('the publications that wait and are shown', () => {
  it('are seven that go next and the three that have waited longest', () => {
    const chosen = chooseWaiting(numbered('next', 10), numbered('old', 10));
    expect(chosen).toEqual([...numbered('next', 7), ...numbered('old', 3)]);
  });

  it('are more of either, if there are few of the other', () => {
    expect(chooseWaiting(numbered('next', 10), ['next0'])).toEqual(numbered('next', 10));
    expect(chooseWaiting(['next0'], numbered('old', 10))).toEqual(['next0', ...numbered('old', 9)]);
  });

  it('are named once', () => {
    const ids = numbered('pub', 10);
    expect(chooseWaiting(ids, ids)).toEqual(ids);
    expect(chooseWaiting([], [])).toEqual([]);
  });
});
