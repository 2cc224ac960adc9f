import { toTextHtml } from './markup.js';

it('nests entities and escapes the rest', () => {
  const text = 'a <b> & "c" 🌷 d';
  const entities = [
    { type: 'bold', offset: 0, length: 5 },
    { type: 'italic', offset: 2, length: 3 },
    { type: 'text_link', offset: 8, length: 3, url: 'https://example.org/?a=1&b="2"' },
    { type: 'custom_emoji', offset: 12, length: 2, custom_emoji_id: '5' },
    { type: 'hashtag', offset: 15, length: 1 },
  ] as const;
  expect(toTextHtml({ text, entities })).toBe(
    '<b>a <i>&lt;b&gt;</i></b> &amp; <a href="https://example.org/?a=1&amp;b=&quot;2&quot;">&quot;c&quot;</a> ' +
      '<tg-emoji emoji-id="5">🌷</tg-emoji> d',
  );
});

it('renders code with its language, spoilers and quotes', () => {
  const entities = [
    { type: 'expandable_blockquote', offset: 0, length: 1 },
    { type: 'pre', offset: 2, length: 1, language: 'ts' },
    { type: 'spoiler', offset: 4, length: 1 },
  ] as const;
  expect(toTextHtml({ text: 'q p s', entities })).toBe(
    '<blockquote expandable>q</blockquote> <pre><code class="language-ts">p</code></pre> <tg-spoiler>s</tg-spoiler>',
  );
});
