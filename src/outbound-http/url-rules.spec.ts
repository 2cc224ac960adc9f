import { createAddressPolicy, findFetchUrlProblem } from './url-rules.js';

const code = (url: string, allowPrivate: readonly string[] = []) =>
  findFetchUrlProblem(url, createAddressPolicy(allowPrivate))?.code;

describe('findFetchUrlProblem (publish-api.md: POST /v1/webhooks/{slug}; D-5)', () => {
  it.each([
    'https://example.org',
    'HTTPS://Example.ORG:443/a.jpg?b=c#d',
    'https://example.org/ä b.jpg',
    'https://пример.рф/a.jpg',
    'https://8.8.8.8/a.jpg',
    'https://[2001:4860:4860::8888]/a.jpg',
    'https://localhost.example.org/',
    'https://a_b.example.org/',
  ])('finds no problem in %s', (url) => expect(code(url)).toBeUndefined());

  it.each([
    ['', 'url_not_https'],
    ['example.org/a.jpg', 'url_not_https'],
    ['http://example.org/a.jpg', 'url_not_https'],
    ['ftp://example.org/a.jpg', 'url_not_https'],
    ['data:image/png;base64,AAAA', 'url_not_https'],
    ['https:example.org', 'url_not_https'],
    ['https:\\\\example.org', 'url_not_https'],
    [' https://example.org', 'url_not_https'],
    ['https://', 'url_invalid'],
    ['https:///example.org', 'url_invalid'],
    ['https://\\example.org', 'url_invalid'],
    ['https://example.org/ ', 'url_invalid'],
    ['https://exam\tple.org/', 'url_invalid'],
    ['https://example.org/a\nb', 'url_invalid'],
    ['https://exa mple.org/', 'url_invalid'],
    ['https://256.1.1.1/', 'url_invalid'],
    ['https://example.org:99999/', 'url_invalid'],
    ['https://[::1%25lo]/', 'url_invalid'],
    ['https://user@example.org/', 'url_has_credentials'],
    ['https://:secret@example.org/', 'url_has_credentials'],
    ['https://example.org@10.0.0.1/', 'url_has_credentials'],
    ['https://example.org./', 'url_host_invalid'],
    ['https://localhost./', 'url_host_invalid'],
    ['https://example.org:8443/', 'url_port'],
    ['https://example.org:80/', 'url_port'],
    ['https://localhost/', 'private_address'],
    ['https://LOCALHOST:8443/', 'private_address'],
    ['https://a.localhost/', 'private_address'],
    ['https://127.0.0.1/', 'private_address'],
    ['https://127.0.0.1./', 'private_address'],
    ['https://127.1/', 'private_address'],
    ['https://0x7f.1/', 'private_address'],
    ['https://2130706433/', 'private_address'],
    ['https://0177.0.0.1/', 'private_address'],
    ['https://①②⑦.⓪.⓪.①/', 'private_address'],
    ['https://0/', 'private_address'],
    ['https://169.254.169.254/latest/meta-data', 'private_address'],
    ['https://192.168.1.1/', 'private_address'],
    ['https://[::1]/', 'private_address'],
    ['https://[::7f00:1]/', 'private_address'],
    ['https://[::ffff:127.0.0.1]/', 'private_address'],
    ['https://[::ffff:7f00:1]/', 'private_address'],
    ['https://[fd00::1]/', 'private_address'],
    ['https://[64:ff9b::10.0.0.1]/', 'private_address'],
    [`https://example.org/${'x'.repeat(2_029)}`, 'url_too_long'],
  ])('finds in %s: %s', (url, expected) => expect(code(url)).toBe(expected));

  it('accepts 2,048 characters', () => {
    expect(code('https://example.org/' + '😀'.repeat(2_028))).toBeUndefined();
    expect(code('https://example.org/' + '😀'.repeat(2_029))).toBe('url_too_long');
  });

  it.each([
    ['http://127.0.0.1:8080/a', undefined],
    ['https://127.0.0.1:8443/a', undefined],
    ['http://localhost:8080/a', undefined],
    // The addresses of a name are checked when the URL is fetched.
    ['http://media.test:8080/a', undefined],
    ['http://10.0.0.1/a', 'private_address'],
    ['http://[::1]/a', 'private_address'],
    ['http://8.8.8.8/a', 'url_not_https'],
    ['https://8.8.8.8:8443/a', 'url_port'],
    ['ftp://127.0.0.1/a', 'url_not_https'],
    ['http://user@127.0.0.1/a', 'url_has_credentials'],
  ])('finds in %s, if 127.0.0.0/8 is allowed: %s', (url, expected) =>
    expect(code(url, ['127.0.0.0/8'])).toBe(expected),
  );
});

describe("the gateway's own files (ADR-401)", () => {
  const policy = createAddressPolicy([], () => 'http://127.0.0.1:3000/console/photos/');
  it.each([
    ['http://127.0.0.1:3000/console/photos/regatta.jpg', undefined],
    ['http://127.0.0.1:3000/console/photos/../../metrics.jpg', 'url_not_https'],
    ['http://127.0.0.1:3000/console/photos/%2e%2e/x.jpg', 'url_not_https'],
    ['http://127.0.0.1:3000/metrics', 'url_not_https'],
    ['http://127.0.0.1:3001/console/photos/regatta.jpg', 'url_not_https'],
    ['https://127.0.0.1:3000/console/photos/regatta.jpg', 'private_address'],
    ['http://127.0.0.1:3000@10.0.0.1/console/photos/regatta.jpg', 'url_not_https'],
  ])('%s: %s', (url, found) => expect(findFetchUrlProblem(url, policy)?.code).toBe(found));
});
