import { platformSays, wordsIn } from './platform-says.js';

describe('what an answer says that is none of the API’s (D-35)', () => {
  it.each([
    ['<html><style>p { color: red }</style><body>\n<h1>502</h1> Bad\t<b>Gateway</b></body>', '502 Bad Gateway'],
    ['upstream\u0000 timed out\r\n', 'upstream timed out'],
    ['', ''],
    ['<html', '<html'],
  ])('%p are the words of people', (page, words) => expect(wordsIn(Buffer.from(page))).toBe(words));

  it('is shortened, and names no credential', () => {
    const says = platformSays(`/bot1:a/sendMessage was not found ${'x'.repeat(600)}`, { bot_token: '1:a' });
    expect(says.platform_says).toMatch(/^\/bot\*{3}\/sendMessage was not found x+$/);
    expect(says.platform_says).toHaveLength(500);
  });
});
