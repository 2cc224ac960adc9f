import fc from 'fast-check';
import { formatText } from './format-text.js';
import { toHtml } from './wall-node.js';

const render = (text: string, entities: Parameters<typeof formatText>[1]): string =>
  toHtml(formatText(text, entities, 'hidden'));
const entity = (type: string, offset: number, length: number, more = {}) => ({ type, offset, length, ...more });

describe('formatText', () => {
  it('escapes everything that has a meaning in HTML', () => {
    expect(render(`<img src=x onerror="a('b')"> & more`, [])).toBe(
      '&lt;img src=x onerror=&quot;a(&#39;b&#39;)&quot;&gt; &amp; more',
    );
  });

  it.each([
    ['bold', '<b>abc</b>'],
    ['italic', '<i>abc</i>'],
    ['underline', '<u>abc</u>'],
    ['strikethrough', '<s>abc</s>'],
    ['code', '<code>abc</code>'],
    ['pre', '<pre><code>abc</code></pre>'],
    ['blockquote', '<blockquote>abc</blockquote>'],
    ['custom_emoji', '<span>abc</span>'],
  ])('shows %s', (type, html) => expect(render('abc', [entity(type, 0, 3)])).toBe(html));

  it('opens the outer entity first, in any order of the entities', () => {
    const entities = [entity('bold', 2, 2), entity('blockquote', 0, 6), entity('italic', 2, 2)];
    expect(render('abcdef', entities)).toBe('<blockquote>ab<b><i>cd</i></b>ef</blockquote>');
  });

  it('splits entities that overlap', () => {
    expect(render('abcd', [entity('bold', 0, 3), entity('italic', 1, 3)])).toBe('<b>a<i>bc</i></b><i>d</i>');
  });

  it('renders no link that would run a script', () => {
    const html = render('abc', [entity('text_link', 0, 3, { url: 'javascript:alert(1)' })]);
    expect(html).toBe('<span>abc</span>');
  });

  it('writes a link and a language as attributes, escaped', () => {
    const link = render('a', [entity('text_link', 0, 1, { url: 'https://e.com/?a="&b' })]);
    expect(link).toContain('href="https://e.com/?a=&quot;&amp;b"');
    const code = render('a', [entity('pre', 0, 1, { language: '"><script>' })]);
    expect(code).toBe('<pre data-language="&quot;&gt;&lt;script&gt;"><code>a</code></pre>');
  });

  it('detects addresses, names and tags, but not in code', () => {
    const text = 'See https://e.com/a?b, ask @harbour #день';
    const html = render(text, []);
    expect(html).toContain('href="https://e.com/a?b"');
    expect(html).toContain('<span class="tag">@harbour</span>');
    expect(html).toContain('<span class="tag">#день</span>');
    expect(render('#tag', [entity('code', 0, 4)])).toBe('<code>#tag</code>');
  });

  it('leaves out the line feed that ends a block', () => {
    expect(render('a\nb', [entity('pre', 0, 1)])).toBe('<pre><code>a</code></pre>b');
  });

  it('renders balanced HTML and keeps every character, for any entities', () => {
    const anyEntity = fc.record({
      type: fc.constantFrom('bold', 'italic', 'spoiler', 'code', 'text_link', 'underline'),
      offset: fc.integer({ min: -2, max: 14 }),
      length: fc.integer({ min: -1, max: 14 }),
      url: fc.constant('https://e.com'),
    });
    fc.assert(
      fc.property(fc.string({ maxLength: 12 }), fc.array(anyEntity, { maxLength: 6 }), (text, entities) => {
        const html = render(text, entities);
        const open: string[] = [];
        for (const [, slash, name] of html.matchAll(/<(\/?)(\w+)[^>]*>/g)) {
          if (slash) expect(open.pop()).toBe(name);
          else open.push(name ?? '');
        }
        expect(open).toEqual([]);
        const plain = html
          .replace(/<[^>]*>/g, '')
          .replace(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => UNESCAPED[name] ?? '');
        expect(plain).toBe(text);
      }),
      { numRuns: 500, seed: 7 },
    );
  });
});

const UNESCAPED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };
