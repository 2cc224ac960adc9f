import { toMaxUrl } from './limits.js';

it.each([
  ['https://example.org/a?b=c', 'https://example.org/a?b=c'],
  ['tg://resolve?domain=durov', 'https://t.me/durov'],
  ['TG://resolve/?domain=durov', 'https://t.me/durov'],
  ['tg://resolve?domain=durov&post=12', 'https://t.me/durov/12'],
  ['tg://resolve?domain=durov&post=12&comment=7&single', 'https://t.me/durov/12?comment=7&single='],
  ['tg://resolve?domain=shop_bot&start=abc', 'https://t.me/shop_bot?start=abc'],
  ['tg://resolve?domain=shop_bot&startapp=a-b&mode=compact', 'https://t.me/shop_bot?startapp=a-b&mode=compact'],
  ['tg://resolve?domain=shop_bot&appname=cart&startapp=1', 'https://t.me/shop_bot/cart?startapp=1'],
  ['tg://resolve?domain=durov&text=h%26i%20there', 'https://t.me/durov?text=h%26i+there'],
])('MAX gets %s as %s', (url, expected) => expect(toMaxUrl(url)).toBe(expected));

it('MAX gets no other link', () => {
  const links = [
    'tg://resolve?domain=durov&post=last', // t.me has no page with this name
    'tg://resolve?domain=shop_bot&appname=a/b',
    'tg://resolve?domain=shop_bot&appname=cart&post=1',
    'tg://resolve?domain=a/b',
    'tg://resolve?phone=1',
    'tg://user?id=1',
    'ftp://example.org/a',
    `https://example.org/${'a'.repeat(2_048)}`,
    `tg://resolve?domain=durov&text=${'a'.repeat(2_048)}`,
  ];
  expect(links.filter((link) => toMaxUrl(link) !== null)).toEqual([]);
});
