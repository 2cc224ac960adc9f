import { extractWords, platformSays } from './exchange.js';

describe('the words of a response that does not come from the API (D-35)', () => {
  it.each([
    ['<html><style>p { color: red }</style><body>\n<h1>502</h1> Bad\t<b>Gateway</b></body>', '502 Bad Gateway'],
    ['upstream\u0000 timed out\r\n', 'upstream timed out'],
    ['', ''],
    ['<html', '<html'],
  ])('of %p are readable text', (page, words) => expect(extractWords(Buffer.from(page))).toBe(words));

  it('are shortened, and contain no credential', () => {
    const says = platformSays(`/bot1:a/sendMessage was not found ${'x'.repeat(600)}`, { bot_token: '1:a' });
    expect(says.platform_says).toMatch(/^\/bot\*{3}\/sendMessage was not found x+$/);
    expect(says.platform_says).toHaveLength(500);
  });
});
