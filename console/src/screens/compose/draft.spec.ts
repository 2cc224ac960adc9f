import { leaveOut } from './draft.js';

describe('leaveOut', () => {
  it('leaves out what is on offer and not chosen', () => {
    expect(leaveOut(['a', 'b'], ['a', 'b', 'c'], ['b'])).toEqual(['a', 'c']);
  });

  it('keeps channels left out that are not on offer yet', () => {
    expect(leaveOut(['a', 'later'], ['a', 'b'], ['a', 'b'])).toEqual(['later']);
  });
});
