import { Inject, Injectable } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import type { Settings } from '../../../config/settings.js';
import { SETTINGS } from '../../../config/tokens.js';
import { type Clock, CLOCK } from '../../../kernel/clock.js';
import type { PublicationRow } from '../../../projections/posts/posts.tables.js';
import { FindHolds } from '../../../projections/publish-schedule/holds.queries.js';
import { PublicationView } from './publication.view.js';

/** Builds the views of publications, with the reasons for which they wait (management-api.md: publication). */
@Injectable()
export class PublicationViewBuilder {
  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly queries: QueryBus,
  ) {}

  /** Returns one view for each row, in the rows' order. */
  async buildViews(rows: readonly PublicationRow[]): Promise<PublicationView[]> {
    const queued = rows.filter(({ state }) => state === 'queued');
    const ids = queued.map(({ publication_id }) => publication_id);
    const scheduled = await this.queries.execute(new FindHolds(ids, this.clock.now(), this.settings.minuteMs));
    const byId = new Map(scheduled.map((row) => [row.publication.publication_id, row]));
    return rows.map((row) => new PublicationView(row, byId.get(row.publication_id)));
  }
}
