import { acceptsButtonUrl, acceptsUrl, messageUrl } from './limits.js';

describe('takesUrl', () => {
  it.each([
    'https://example.com',
    'http://example.com/a?b#c',
    'https://user@example.com:8443/',
    'https://пример.рф/страница',
    'https://93.184.216.34/',
    'https://[2001:db8::1]/',
    'tg://resolve?domain=durov',
    'TG://user?id=1',
  ])('accepts %s', (url) => expect(acceptsUrl(url)).toBe(true));

  it.each([
    ['a host without a dot', 'https://localhost/'],
    ['no host', 'https://'],
    ['another scheme', 'ftp://example.com'],
    ['mail', 'mailto:a@example.com'],
    ['script', 'javascript:alert(1)'],
    ['no scheme', 'example.com'],
    ['tg without a name', 'tg://'],
    ['tg with a host', 'tg://example.com'],
    ['nothing', ''],
    ['port 0', 'https://example.com:0/'],
    ['a host that is none', 'https://exa"mple.com/'],
  ])('refuses %s', (_, url) => expect(acceptsUrl(url)).toBe(false));
});

describe('takesButtonUrl', () => {
  it.each([
    'https://example.com',
    'https://пример.рф/страница',
    'https://93.184.216.34/',
    'https://[2001:db8::1]/',
    'tg://resolve?domain=durov',
    `https://example.com/${'x'.repeat(2_028)}`,
  ])('accepts %s', (url) => expect(acceptsButtonUrl(url)).toBe(true));

  it.each([
    ['a URL that no link accepts', 'https://localhost/'],
    ['a host without a top-level domain', 'https://foo.c/'],
    ['a host that ends with a dot', 'https://example.com./'],
    ['more than 2,048 units', `https://example.com/${'x'.repeat(2_029)}`],
  ])('refuses %s', (_, url) => expect(acceptsButtonUrl(url)).toBe(false));
});

describe('messageUrl', () => {
  it.each([
    ['a public channel', { id: '-1001234567890', username: 'news' }, 'https://t.me/news/7'],
    ['a private channel', { id: '-1001234567890' }, 'https://t.me/c/1234567890/7'],
    ['a group', { id: '-1234' }, null],
    ['a person', { id: '1234' }, null],
  ])('of %s', (_, chat, url) => expect(messageUrl(chat, '7')).toBe(url));
});
