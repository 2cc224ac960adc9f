import { Inject, Injectable } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import type { Settings } from '../../../config/settings.js';
import { SETTINGS } from '../../../config/tokens.js';
import { type Clock, CLOCK } from '../../../kernel/clock.js';
import { iso, isoOrNull } from '../../../kernel/instant.js';
import type { Attempt, PublicationRow } from '../../../projections/posts/posts.tables.js';
import { FindHolds, type Scheduled } from '../../../projections/publish-schedule/holds.queries.js';
import { waitingForView } from './waiting-for.view.js';

/** Shows publications: what became of a post on one channel, and why it waits where it does (management-api.md). */
@Injectable()
export class PublicationViews {
  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly queries: QueryBus,
  ) {}

  /** In the rows' order. */
  async of(rows: readonly PublicationRow[]): Promise<object[]> {
    const open = rows.filter(({ state }) => state === 'queued');
    const ids = open.map(({ publication_id }) => publication_id);
    const scheduled = await this.queries.execute(new FindHolds(ids, this.clock.now(), this.settings.minuteMs));
    const byId = new Map(scheduled.map((row) => [row.publication.publication_id, row]));
    return rows.map((row) => publicationView(row, byId.get(row.publication_id)));
  }
}

const publicationView = (row: PublicationRow, scheduled: Scheduled | undefined): object => ({
  id: row.publication_id,
  post_id: row.post_id,
  target_id: row.channel_id,
  platform: row.platform,
  project_id: row.project_id,
  sequence: row.sequence,
  state: row.state,
  not_before: isoOrNull(scheduled?.publication.not_before || null),
  waiting_for: scheduled ? waitingForView(scheduled) : null,
  attempts: row.attempts.map(attemptView),
  message_ids: row.message_ids,
  urls: row.urls,
  warnings: row.warnings,
  published_at: isoOrNull(row.published_at),
});

/** The error is told by D-35's classes, the network's own words beside ours. */
const attemptView = ({ n, started_at, ended_at, outcome, error }: Attempt): object => ({
  n,
  started_at: iso(started_at),
  ended_at: isoOrNull(ended_at),
  outcome,
  error,
});
