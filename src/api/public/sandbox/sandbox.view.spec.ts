import type { CheckedMedium } from '../payload-check.js';
import { findPayloadWarnings } from './sandbox.view.js';

const found = (sent: unknown, media?: readonly CheckedMedium[]) =>
  findPayloadWarnings(sent, new Map(media && [['media', media]])).map(({ code, path }) => `${code} ${path}`);

describe('findPayloadWarnings (D-49)', () => {
  it.each([
    '<b>Ahoy</b>',
    'Ahoy<br>all',
    'see <a href="https://example.com/">here</a>',
    'a <IMG src="x"/>',
    '</p>',
    'Fish &amp; chips',
    'it&#39;s',
    '<tg-spoiler>x</tg-spoiler>',
  ])('takes %j for HTML', (text) => {
    const [warning] = findPayloadWarnings({ text });
    expect(warning).toEqual({ code: 'looks_like_html', path: 'text', message: expect.stringContaining('entities') });
  });

  it.each(['a < b > c', '<name>', 'x <- y -> z', 'Fish & chips', 'if a<b and b>a', '<3', 'R&D;', '<bold move>', ''])(
    'does not take %j for HTML',
    (text) => expect(found({ text })).toEqual([]),
  );

  it('reads the longest text in linear time', () => {
    for (const part of ['<a ', '<a  ', '</p/', '&#1', '<a <a'])
      expect(found({ text: part.repeat(5_000).slice(0, 15_895) })).toEqual([]);
  });

  it('names unknown fields, then HTML, then hosts that do not exist', () => {
    const medium = { type: 'photo', url: 'https://nowhere.invalid/', sizeBytes: null, mime: null, ok: true } as const;
    const media = [medium, { ...medium, isHostUnknown: true, note: 'media[1].url has a host name that …' }];
    expect(found({ text: '<b>a</b>', medai: [] }, media)).toEqual([
      'unknown_field medai',
      'looks_like_html text',
      'host_not_found media[1].url',
    ]);
  });

  it('looks at overrides too', () => {
    const overrides = { telegram: { text: '<b>a</b>', txt: 'b' }, tgt_1: { media: [{ ulr: '' }] }, vk: 7 };
    const media = [{ type: 'photo', url: '', sizeBytes: null, mime: null, ok: true, isHostUnknown: true }] as const;
    const lists = new Map([['overrides.tgt_1.media', media]]);
    const warnings = findPayloadWarnings({ text: 'a', overrides }, lists, ['vk']);
    expect(warnings.map(({ code, path }) => `${code} ${path}`)).toEqual([
      'unknown_field overrides.telegram.txt',
      'unknown_field overrides.tgt_1.media[0].ulr',
      'unused_override overrides.vk',
      'looks_like_html overrides.telegram.text',
      'host_not_found overrides.tgt_1.media[0].url',
    ]);
    expect(warnings[3]!.message).toMatch(/^overrides\.telegram\.text contains "<b>"/);
  });

  it('reports at most fifty', () => {
    const sent = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`field${i}`, i]));
    expect(found({ ...sent, text: '<b>a</b>' })).toHaveLength(50);
  });

  it.each([undefined, null, 5, 'text', [], { text: 5 }])('finds nothing in %j', (sent) => {
    expect(found(sent)).toEqual([]);
  });
});
