import type { PlatformPost } from '../publisher.js';
import { renderTelegram } from './render.js';

const channel = { id: 'tgt_1', address: { chat_id: '-1' }, settings: {} };

describe('renderTelegram', () => {
  it('tells Telegram the size and length of a video, alone and in an album (networks.md §1)', () => {
    const of = (kinds: readonly ('photo' | 'video')[]) => {
      const media = kinds.map((type, index) => ({ type, url: `https://media.example/${index}` }));
      const video = { width: 1_280, height: 720, duration: 42 };
      const found = kinds.map((kind) => ({ kind, ...(kind === 'video' && { video }) }));
      const post: PlatformPost = { text: '', entities: [], media, buttons: [], isAdvertisement: false };
      return renderTelegram(post, channel, { media: { media: found } }).steps.at(-1)?.request;
    };
    const facts = { width: 1_280, height: 720, duration: 42, supports_streaming: true };
    expect(of(['video'])).toEqual({ chat_id: '-1', video: 'attach://video-0', ...facts });
    expect(of(['photo', 'video'])).toEqual({
      chat_id: '-1',
      media: [
        { type: 'photo', media: 'attach://photo-0' },
        { type: 'video', media: 'attach://video-1', ...facts },
      ],
    });
  });

  it('counts the cut units of the original text, including characters that Telegram removes (D-44)', () => {
    const text = 'a\r\nb\r\n'.repeat(1_500);
    const post: PlatformPost = { text, entities: [], media: [], buttons: [], isAdvertisement: false };
    const { textAfterTrim, trimmedChars, warnings } = renderTelegram(post, channel);
    expect(textAfterTrim).toHaveLength(4_096);
    // 4,095 units are kept: 2,047 lines, each with one more carriage return, and a letter.
    expect(trimmedChars).toBe(9_000 - 2_047 * 3 - 1);
    const message = 'Telegram accepts 4096 characters: the text was shortened by 2858.';
    expect(warnings).toEqual([{ code: 'text_trimmed', message }]);
    expect(renderTelegram({ ...post, text: 'a\r\n' }, channel).trimmedChars).toBe(0);
  });
});
