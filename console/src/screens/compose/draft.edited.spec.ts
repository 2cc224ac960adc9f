import type { Api } from '../../api/management.js';
import { editedDraft, losesFormatting, toPayload } from './draft.js';

const CHANNELS = ['tgt_1', 'tgt_2'];

const postOf = (payload: Api<'PublishPayload'>, publishAt: string | null): Api<'PostWithPayload'> =>
  ({ endpoint_id: 'ep_1', revision: 3, publish_at: publishAt, payload }) as unknown as Api<'PostWithPayload'>;

describe('the draft of a planned post', () => {
  const payload: Api<'PublishPayload'> = {
    text: 'Dusk 🌅 over the lighthouse',
    entities: [{ type: 'custom_emoji', offset: 5, length: 2, custom_emoji_id: '7' }],
    media: [{ type: 'photo', url: 'https://example.com/dusk.jpg' }],
    buttons: [[{ text: 'Tides', url: 'https://example.com/tides' }]],
    targets: [{ id: 'tgt_1' }],
    overrides: {
      vk: { text: 'Dusk', media: null },
      telegram: { buttons: null },
      tgt_1: { text: 'Only here' },
    },
    ad_pause_minutes: 15,
    is_advertisement: true,
    silent: true,
    pin: true,
    external_id: 'cms-77',
    trace_id: 'trace-1',
    metadata: { section: 'news' },
    publish_at: '2026-11-28T09:00:00.000Z',
  };

  it('is sent as the post was, if nothing is changed', () => {
    const draft = editedDraft(postOf(payload, '2026-11-28T09:00:00.000Z'), CHANNELS)!;
    expect(toPayload(draft, CHANNELS)).toEqual(payload);
    expect(draft.revision).toBe(3);
  });

  it('has the time to which the post was moved', () => {
    const moved = editedDraft(postOf(payload, '2026-12-01T10:00:00.000Z'), CHANNELS)!;
    expect(toPayload(moved, CHANNELS).publish_at).toBe('2026-12-01T10:00:00.000Z');
    const untimed = editedDraft(postOf(payload, null), CHANNELS)!;
    expect(toPayload(untimed, CHANNELS)).not.toHaveProperty('publish_at');
  });

  it('keeps formatting that the editor does not offer until the text is changed, and says so', () => {
    const draft = editedDraft(postOf(payload, null), CHANNELS)!;
    expect(losesFormatting(draft, 'all')).toBe(true);
    expect(losesFormatting(draft, 'vk')).toBe(false);
    const changed = { ...draft, text: { text: 'Dusk', marks: [] } };
    expect(toPayload(changed, CHANNELS)).not.toHaveProperty('entities');
  });

  it('does not exist without the content', () => {
    expect(editedDraft({ ...postOf(payload, null), payload: null }, CHANNELS)).toBeNull();
  });
});
