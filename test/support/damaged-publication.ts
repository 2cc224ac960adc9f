import type { Infrastructure } from '../../src/app/infrastructure.js';
import { newUuid } from '../../src/kernel/ids.js';
import { until } from '../e2e/until.js';

/** Postpones an attempt at a queued publication, waits until all views show it, and breaks the text of its events. */
export const damagePublication = async (
  { pool, store, aggregates }: Infrastructure,
  publicationId: string,
  at: number,
): Promise<void> => {
  const stream = `publication-${publicationId}`;
  const { post_id: postId, channel_id: channelId } = await until('it is in the schedule', async () => {
    const text = 'select post_id, channel_id from publish_schedule.publication where publication_id = $1';
    return (await pool.query<{ post_id: string; channel_id: string }>(text, [publicationId])).rows[0];
  });
  const attempt = { attempt: 1, at, publicationId, postId, channelId };
  const error = { code: 'x', category: 'platform', source: 'max', message: 'x' };
  const events = [
    { type: 'PublicationStarted', data: { worker: 'w', sending: null, projectRevision: null, ...attempt } },
    { type: 'PublicationPostponed', data: { retryAt: at, rule: 'retry', error, ...attempt } },
  ];
  const origin = { actor: 'system', requestId: 'r', causationId: 'r', correlationId: 'r', clientAddress: null };
  const nothing = { revision: -1n, position: 0n, hash: '' };
  const context = { commandId: newUuid(), at, ...origin };
  const encoded = await aggregates.encodeEvents(stream, events, nothing, context);
  await store.append(stream, 'noStream', encoded.events);
  await damageStream({ pool, store }, stream);
};

/** Waits until all views show the events of a stream, and breaks the text of these events. */
export const damageStream = async (
  { pool, store }: Pick<Infrastructure, 'pool' | 'store'>,
  stream: string,
): Promise<void> => {
  const head = await store.readHead();
  await until('all views show it', async () => {
    const text = `select from ops_projection p join ops_checkpoint c on c.name = p.name and c.version = p.live_version
      where c.position < $1`;
    return (await pool.query(text, [head])).rowCount === 0;
  });
  await pool.query(`update event_store.event set data = '{' where stream = $1`, [stream]);
};
