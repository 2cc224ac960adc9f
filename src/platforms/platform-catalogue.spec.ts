import { PLATFORMS } from './catalogue.js';
import { parseChatLink } from './platform-catalogue.js';

/** The chat that a network's descriptor finds in a text; undefined for none. */
const read = (platform: string, text: string): string | undefined => {
  const link = parseChatLink(text);
  const fields = Object.values(PLATFORMS.get(platform).credentials);
  const address = fields.find((field) => field.kind === 'address');
  return link && address?.kind === 'address' ? address.readLink?.(link) : undefined;
};

describe('links to chats', () => {
  it.each([
    ['telegram', 'https://t.me/acme_news', '@acme_news'],
    ['telegram', ' t.me/acme_news/42?single ', '@acme_news'],
    ['telegram', 'http://www.telegram.me/s/acme_news', '@acme_news'],
    ['telegram', 'acme_news.t.me', undefined], // no host name has an underscore
    ['telegram', 'https://acmenews.t.me/7', '@acmenews'],
    ['telegram', 'https://t.me/c/1234567890/7', '-1001234567890'],
    ['telegram', 'https://web.telegram.org/a/#-1001234567890', '-1001234567890'],
    ['telegram', 'https://web.telegram.org/k/#@acme_news', '@acme_news'],
    ['telegram', 'https://t.me/+AbCdEf', undefined],
    ['telegram', 'https://t.me/joinchat/AbCdEf', undefined],
    ['telegram', 'https://t.me/share/url?url=x', undefined],
    ['telegram', 'https://vk.com/acme', undefined],
    ['vk', 'https://vk.com/club123', '123'],
    ['vk', 'm.vk.com/public123', '123'],
    ['vk', 'https://vk.ru/event123', '123'],
    ['vk', 'https://vk.com/wall-123_7', '123'],
    ['vk', 'https://vk.com/acme.news?w=wall-123_7', '123'],
    ['vk', 'https://vk.com/acme.news', '@acme.news'],
    ['vk', 'https://vk.com/@acme-a-long-read', undefined],
    ['vk', 'https://vk.com/id123', undefined],
    ['vk', 'https://vk.com/', undefined],
    ['max', 'https://max.ru/acme_news', '@acme_news'],
    ['max', 'https://web.max.ru/-70912345678901', '-70912345678901'],
    ['max', 'https://max.ru/c/-70912345678901/AZk', '-70912345678901'],
    ['max', 'https://max.ru/join/AbCdEf', undefined],
    ['max', 'https://max.ru/u/AbCdEf', undefined],
    ['ok', 'https://ok.ru/group/70000000000001', '70000000000001'],
    ['ok', 'https://m.ok.ru/group/70000000000001/topic/7', '70000000000001'],
    ['ok', 'https://ok.ru/group70000000000001', '70000000000001'],
    ['ok', 'ok.ru/acme.news', '@acme.news'],
    ['ok', 'https://ok.ru/profile/570000000001', undefined],
  ])('%s: %s is %s', (platform, text, chat) => expect(read(platform, text)).toBe(chat));

  it.each(['', '@acme_news', '-1001234567890', '123', 'acme', 'ftp://t.me/acme', `t.me/${'a'.repeat(3_000)}`])(
    'takes %j for no link',
    (text) => expect(parseChatLink(text)).toBeUndefined(),
  );

  it('survives an address that is not UTF-8', () => expect(read('telegram', 'https://t.me/%ff')).toBeUndefined());
});
