import { CanView } from '../change.views.js';
import { type ChannelPreview, previewNetwork, type PreviewTarget } from './network-preview.js';

const channel = (n: number): PreviewTarget => ({
  platform: 'telegram',
  channelId: `tgt_${n}`,
  projectId: 'prj_1',
  enabled: true,
  isTarget: true,
});

describe('previewNetwork', () => {
  it('limits the shown calls, and says for how many channels they are left out (D-38)', async () => {
    const text = 'x'.repeat(2_000_000);
    const previewChannel = async (target: PreviewTarget | undefined): Promise<ChannelPreview> => ({
      textAfterTrim: text,
      trimmedChars: 0,
      warnings: [],
      can: new CanView({ withdraw: true, until: null, text: null }, { edit: [], text: null }),
      calls: [{ step: 'message', method: 'sendMessage', request: { text }, target_id: target!.channelId }],
    });
    const { requests, warnings } = await previewNetwork('telegram', [1, 2, 3, 4, 5].map(channel), previewChannel);
    expect(requests.map(({ target_id }) => target_id)).toEqual(['tgt_1', 'tgt_2', 'tgt_3']);
    expect(warnings).toEqual([{ code: 'requests_left_out', message: expect.stringContaining('2 more channels') }]);
  });
});
