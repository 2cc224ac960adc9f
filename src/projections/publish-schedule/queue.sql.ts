/**
 * Returns SQL that selects the first publications in a channel's queue at a given time, in order: waiting publications,
 * except those still delayed by a project's pause. The first is the channel's head.
 *
 * The cost does not grow with the number of delayed publications: the query reads the channel's undelayed queue and at
 * most `limit` queues of expired pauses, each from its beginning. It skips at most one queue of an active pause per
 * project.
 *
 * @param channelId, now SQL expressions
 * @param from SQL expression: the channel's `first_waiting`. Finished publications stay in the index while an old
 * snapshot is open (ADR-96); the read begins after them.
 * @param schema default: the schema of the search path
 */
export const selectQueue = (channelId: string, from: string, now: string, limit: number, schema?: string): string => {
  const tables = schema === undefined ? '' : `${schema}.`;
  return `
  select queue.* from (
    (select p.* from ${tables}scheduled_publication p
     where p.channel_id = ${channelId} and p.sequence >= ${from} and p.waits and p.project_pause_id is null
     order by p.sequence limit ${limit})
    union all
    select p.* from (
      select q.pause_id from ${tables}paused_queue q join ${tables}project_pause o on o.pause_id = q.pause_id
      where q.channel_id = ${channelId} and o.ends_at <= ${now}
      order by q.first_sequence limit ${limit}) ended
    cross join lateral (
      select * from ${tables}scheduled_publication p
      where p.project_pause_id = ended.pause_id and p.channel_id = ${channelId}
      order by p.sequence limit ${limit}) p
  ) queue order by queue.sequence limit ${limit}`;
};
