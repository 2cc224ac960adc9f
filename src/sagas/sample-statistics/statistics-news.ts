import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import { CLOCK, type Clock, MINUTE_MS } from '../../kernel/clock.js';
import type { JsonObject } from '../../kernel/ids.js';
import { POOL } from '../../postgres/tokens.js';
import { ProjectOutputs } from '../../projections/discovery/discovery.queries.js';
import { DISCOVERY } from '../../projections/discovery/discovery.tables.js';
import { PostStories } from '../../projections/posts/post-details.queries.js';
import { POSTS, type PublicationRow } from '../../projections/posts/posts.tables.js';
import { NEWS_MINUTES, sumNumbers } from '../../statistics/numbers.js';
import { PublicationStatistics } from '../../statistics/statistics.queries.js';
import { StatisticsTable } from '../../statistics/statistics.table.js';
import { DeliveryFanOut } from '../deliver-webhooks/fan-out.js';

const NAME = 'sample-statistics';
/** Number of posts to tell of at a time. */
const AT_ONCE = 50;

interface NamedPublication {
  readonly row: PublicationRow;
  readonly channel: string | null;
  readonly project: string | null;
}

/** Tells webhook outputs of changed numbers: `post.statistics`, at most once an hour for a post. */
@Injectable()
export class StatisticsNews {
  constructor(
    @Inject(POOL) private readonly pool: Pool,
    private readonly table: StatisticsTable,
    private readonly statistics: PublicationStatistics,
    private readonly outputs: ProjectOutputs,
    private readonly stories: PostStories,
    private readonly fanOut: DeliveryFanOut,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(MINUTE_MS) private readonly minuteMs: number,
  ) {}

  /** Schedules what is due. After a crash, the same deliveries are scheduled again, which has no effect. */
  async tell(signal: AbortSignal): Promise<void> {
    const intervalMs = NEWS_MINUTES * this.minuteMs;
    for (const { postId, dueAt } of await this.table.listNews(this.clock.now(), AT_ONCE)) {
      if (signal.aborted) return;
      await this.tellOf(postId, dueAt);
      await this.table.recordNotified(postId, dueAt, this.clock.now(), intervalMs);
    }
    await this.table.pruneNotes(this.clock.now() - intervalMs, AT_ONCE);
  }

  private async tellOf(postId: string, dueAt: number): Promise<void> {
    const all = await this.findPublications(postId);
    const found = await this.statistics.find(all.map(({ row }) => row));
    const projectIds = [...new Set(all.map(({ row }) => row.project_id))];
    const wanting = await this.outputs.findWanting(projectIds, ['post.statistics']);
    for (const projectId of projectIds) {
      const outputs = wanting.filter((output) => output.projectId === projectId);
      if (outputs.length === 0) continue;
      const own = all.filter(({ row }) => row.project_id === projectId);
      const publications = own.map(({ row, channel }) => ({
        publication_id: row.publication_id,
        target: { id: row.channel_id, platform: row.platform, name: channel },
        statistics: { ...found.get(row.publication_id)! },
      }));
      const totals = { ...sumNumbers(publications.map(({ statistics }) => statistics)) };
      const project = { id: projectId, name: own[0]?.project ?? null };
      const body: JsonObject = { post_id: postId, project, totals, publications };
      const actor = `system:${NAME}` as const;
      const origin = { actor, requestId: '', causationId: postId, correlationId: '', clientAddress: null, at: dueAt };
      const joined = await this.stories.joinStory(origin, postId);
      await this.fanOut.send(outputs, 'post.statistics', body, joined, { name: `${postId}/${dueAt}`, at: dueAt });
    }
  }

  private async findPublications(postId: string): Promise<readonly NamedPublication[]> {
    const { rows } = await this.pool.query<NamedPublication>({
      name: 'publications with names',
      text: `select to_jsonb(p) as row, c.name as channel, j.name as project
             from ${POSTS}.publication p
             left join ${DISCOVERY}.channel c on c.channel_id = p.channel_id
             left join ${DISCOVERY}.project j on j.project_id = p.project_id
             where p.post_id = $1 order by p.place`,
      values: [postId],
    });
    return rows;
  }
}
