import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, type Clock } from '../../../kernel/clock.js';
import { PostPlans } from '../../../projections/posts/post-plans.queries.js';
import type { PublicationRow } from '../../../projections/posts/posts.tables.js';
import { FindHolds } from '../../../projections/publish-schedule/holds.queries.js';
import { PublicationView } from './publication.view.js';

/** Builds publication views, including why each publication is waiting (management-api.md: publication). */
@Injectable()
export class PublicationViewBuilder {
  constructor(
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly findHolds: FindHolds,
    private readonly plans: PostPlans,
  ) {}

  /** Returns one view per row, in the same order. */
  async buildViews(rows: readonly PublicationRow[]): Promise<PublicationView[]> {
    const queued = rows.filter(({ state }) => state === 'queued');
    const ids = queued.map(({ publication_id }) => publication_id);
    const scheduled = await this.findHolds.execute(ids, this.clock.now());
    const byId = new Map(scheduled.map((row) => [row.publication.publication_id, row]));
    const planned = rows.filter(({ state }) => state === 'planned');
    const plans = await this.plans.find(planned.map(({ post_id }) => post_id));
    return rows.map((row) => new PublicationView(row, byId.get(row.publication_id), plans.get(row.post_id)));
  }
}
