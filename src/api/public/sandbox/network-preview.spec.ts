import { networkPreview, type Part, type Place } from './network-preview.js';

const place = (n: number): Place => ({
  ...{ platform: 'telegram', channelId: `tgt_${n}`, projectId: 'prj_1' },
  ...{ enabled: true, meant: true },
});

describe('networkPreview', () => {
  it('shows no more channels’ calls than can be read, and says how many are left out (D-38)', async () => {
    const text = 'x'.repeat(2_000_000);
    const on = async (at: Place | undefined): Promise<Part> => ({
      ...{ text_after_trim: text, trimmed_chars: 0, warnings: [] },
      requests: [{ step: 'message', method: 'sendMessage', request: { text }, target_id: at!.channelId }],
    });
    const { requests, warnings } = await networkPreview('telegram', [1, 2, 3, 4, 5].map(place), on);
    expect(requests.map(({ target_id }) => target_id)).toEqual(['tgt_1', 'tgt_2', 'tgt_3']);
    expect(warnings).toEqual([{ code: 'requests_left_out', message: expect.stringContaining('2 more channels') }]);
  });
});
