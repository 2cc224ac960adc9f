import { newId, newUuid } from './ids.js';

describe('newId (D-2)', () => {
  it('returns the prefix and a UUID v7 of this moment', () => {
    const before = Date.now();
    const id = newId('post');
    expect(id).toMatch(/^post_[0-9a-f]{12}7[0-9a-f]{3}[89ab][0-9a-f]{15}$/);
    const at = parseInt(id.slice('post_'.length, 'post_'.length + 12), 16);
    expect(at).toBeGreaterThanOrEqual(before);
    expect(at).toBeLessThanOrEqual(Date.now());
    expect(newUuid()).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });

  it('never repeats, and every random digit takes every value', () => {
    const ids = Array.from({ length: 20_000 }, () => newId('post').slice('post_'.length));
    expect(new Set(ids).size).toBe(ids.length);
    for (const place of [13, 14, 15, 17, 31]) expect(new Set(ids.map((id) => id[place])).size).toBe(16);
    const variants = ids.map((id) => id[16]!);
    for (const variant of '89ab') {
      const share = variants.filter((one) => one === variant).length / ids.length;
      expect(share).toBeGreaterThan(0.22); // a quarter, by nine standard deviations
      expect(share).toBeLessThan(0.28);
    }
  });
});
