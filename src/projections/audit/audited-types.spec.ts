import { catalogue } from '../../domain/catalogue.js';
import { AUDITED_TYPES, hashType, thingOf } from './audit.tables.js';

it('covers every event type but the request log’s', () => {
  expect(new Set([...AUDITED_TYPES, 'RequestsLogged'])).toEqual(new Set(Object.keys(catalogue)));
});

it('stores each type under a number of its own', () => {
  expect(new Set(AUDITED_TYPES.map(hashType)).size).toBe(AUDITED_TYPES.length);
});

it('names the aggregate that an event happened to', () => {
  const of = (type: string, stream: string, data: object = {}) => thingOf({ type, stream, data });
  expect(of('ChannelPaused', 'channelPause-tgt_1')).toEqual({ aggregate: 'channel-pause', id: 'tgt_1' });
  expect(of('PostAccepted', 'post-of-a-key', { postId: 'post_1' })).toEqual({ aggregate: 'post', id: 'post_1' });
  expect(of('PayloadPartStored', 'payload-post_1', { postId: 'post_1' })).toEqual({ aggregate: 'post', id: 'post_1' });
  expect(of('PostKeyReserved', 'post-of-a-key')).toEqual({ aggregate: 'post', id: null });
});
