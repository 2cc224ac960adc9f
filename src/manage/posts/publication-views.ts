import { Inject, Injectable } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import type { Settings } from '../../config/settings.js';
import { SETTINGS } from '../../config/tokens.js';
import { type Clock, CLOCK } from '../../kernel/clock.js';
import { iso, isoOrNull } from '../../kernel/instant.js';
import { FindThing } from '../../projections/discovery/discovery.queries.js';
import type { Attempt, PublicationRow } from '../../projections/posts/posts.tables.js';
import type { PostsLeft } from '../../projections/posts/usage.queries.js';
import { FindHolds, type Scheduled } from '../../projections/publish-schedule/holds.queries.js';
import { Quotas } from '../quotas.js';
import { quotaView, waitingForView } from './waiting-for.view.js';

/** Shows publications: what became of a post on one channel, and why it waits where it does (management.md). */
@Injectable()
export class PublicationViews {
  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly queries: QueryBus,
    private readonly quotas: Quotas,
  ) {}

  /** In the rows' order. */
  async of(rows: readonly PublicationRow[]): Promise<object[]> {
    const open = rows.filter(({ state }) => state === 'queued');
    const ids = open.map(({ publication_id }) => publication_id);
    const scheduled = await this.queries.execute(new FindHolds(ids, this.clock.now(), this.settings.minuteMs));
    const byId = new Map(scheduled.map((row) => [row.publication.publication_id, row]));
    const usedUp = await this.usedUp(open.filter(({ publication_id }) => isDue(byId.get(publication_id))));
    return rows.map((row) => publicationView(row, byId.get(row.publication_id), usedUp.get(row.owner_id)));
  }

  /** Owners of what could go now, whose month is used up (D-46). */
  private async usedUp(due: readonly PublicationRow[]): Promise<Map<string, PostsLeft>> {
    const ids = [...new Set(due.map(({ owner_id }) => owner_id))];
    const found = await Promise.all(ids.map((id) => this.queries.execute(new FindThing('owner', id, null))));
    const owners = found.filter((owner) => owner !== null);
    const left = owners.length > 0 ? await this.quotas.of(owners) : new Map<string, PostsLeft>();
    return new Map([...left].filter(([, posts]) => posts.left === 0));
  }
}

/** Next on its channel, and held back by no rule of the schedule. */
const isDue = (row: Scheduled | undefined): boolean =>
  row?.publication.state === 'queued' && row.hold === null && row.context.first === null;

const publicationView = (
  row: PublicationRow,
  scheduled: Scheduled | undefined,
  usedUp: PostsLeft | undefined,
): object => ({
  id: row.publication_id,
  post_id: row.post_id,
  target_id: row.channel_id,
  platform: row.platform,
  project_id: row.project_id,
  sequence: row.sequence,
  state: row.state,
  not_before: isoOrNull(scheduled?.publication.not_before || null),
  waiting_for: isDue(scheduled) && usedUp ? quotaView(usedUp) : scheduled ? waitingForView(scheduled) : null,
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
