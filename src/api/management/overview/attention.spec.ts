import { buildStopped, buildStoreUnavailable } from './attention.js';

const NOW = Date.UTC(2026, 10, 26, 14, 2);
const stoppedAt = (name: string, since: number) => ({
  name,
  since,
  failure: { message: 'cannot be decoded', eventId: 'e1', position: '20851907', type: 'ChannelSettingsChanged' },
});

describe('attention for the gateway itself', () => {
  it('is none while every read model goes on', () => expect(buildStopped([])).toBeNull());

  it('names the read model that has stopped, with its event and the call that shows it', () => {
    expect(buildStopped([stoppedAt('audit', NOW)])).toMatchObject({
      code: 'projection_stopped',
      since: '2026-11-26T14:02:00.000Z',
      count: 1,
      ids: ['audit'],
      text: 'The projection audit stopped at event 20851907 (ChannelSettingsChanged): cannot be decoded.',
      action: { label_code: 'view_projection', method: 'GET', path: '/projections/audit' },
      subject: { name: 'audit', position: '20851907', event_type: 'ChannelSettingsChanged' },
    });
  });

  it('begins with the one that stopped first, of several', () => {
    expect(buildStopped([stoppedAt('audit', NOW), stoppedAt('posts', NOW - 1_000)])).toMatchObject({
      count: 2,
      ids: ['posts', 'audit'],
      since: '2026-11-26T14:01:59.000Z',
      action: { label_code: 'view_all', path: '/projections' },
      subject: { name: 'posts' },
    });
  });

  it('says why the event store is not available; no call helps', () => {
    expect(buildStoreUnavailable('no answer within 3000 ms', NOW)).toMatchObject({
      code: 'store_unavailable',
      since: '2026-11-26T14:02:00.000Z',
      count: 1,
      ids: [],
      action: null,
      text: 'The event store is not available: no answer within 3000 ms. No post is accepted or published.',
    });
  });
});
