import type { PlatformPost } from '../publisher.js';
import { forecastFiles, previewCalls } from './files.js';
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

  it('attaches the cover of a video, and says in a preview where it comes from (ADR-282)', () => {
    const media = [0, 1].map((n) => ({ type: 'video' as const, url: `https://media.example/${n}.mp4` }));
    const video = { width: 1_280, height: 720, duration: 42 };
    const found = [
      { kind: 'video', video, cover: true },
      { kind: 'video', video },
    ];
    const of = (count: number) => {
      const post = { text: '', entities: [], media: media.slice(0, count), buttons: [], isAdvertisement: false };
      return renderTelegram(post, channel, { media: { media: found.slice(0, count) } }).steps.at(-1)!;
    };
    expect(of(1).request).toMatchObject({ video: 'attach://video-0', thumbnail: 'attach://cover-0' });
    const [first, second] = of(2).request['media'] as readonly object[];
    expect(first).toMatchObject({ media: 'attach://video-0', thumbnail: 'attach://cover-0' });
    expect(second).not.toHaveProperty('thumbnail');
    expect(previewCalls(of(2), media)[0]?.request).toMatchObject({
      'video-0': '<file of https://media.example/0.mp4>',
      'cover-0': '<cover of https://media.example/0.mp4, if it has one>',
      'video-1': '<file of https://media.example/1.mp4>',
    });
    expect(previewCalls(of(2), media)[0]?.request).not.toHaveProperty('cover-1');
  });

  it('foresees a cover for videos above 10 MB only', () => {
    const known = { mime: 'video/mp4', width: 1_280, height: 720, durationSeconds: 42 };
    const of = (sizeBytes: number, mime = known.mime) =>
      forecastFiles([{ ...known, mime, sizeBytes, type: 'video', url: 'https://media.example/a' }])['media'];
    expect(of(10_485_761)).toMatchObject({ media: [{ kind: 'video', cover: true }] });
    for (const other of [of(10_485_760), of(10_485_761, 'video/quicktime')])
      expect(JSON.stringify(other)).not.toContain('cover');
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
