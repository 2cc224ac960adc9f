import { payloadTitle } from './payload-title.js';

const titleOf = (payload: object | null): string =>
  payloadTitle({ id: 'post_1', payload }, (count) => `${count} files`);

describe('the title of a post', () => {
  it('is the first line of its text', () => {
    expect(titleOf({ text: '\n  Regatta on Sunday \nDawn, noon and dusk' })).toBe('Regatta on Sunday');
  });

  it('is cut between characters', () => {
    const title = titleOf({ text: '👩‍👩‍👧'.repeat(40) });
    expect(title).toBe(`${'👩‍👩‍👧'.repeat(20)}…`);
  });

  it('names the media, or the id, of a post without a text', () => {
    expect(titleOf({ media: [{}, {}] })).toBe('2 files');
    expect(titleOf(null)).toBe('post_1');
  });
});
