import { Injectable } from '@nestjs/common';
import { isStoreOutage } from '../../../event-store/store-outage.js';
import { type Instant, iso } from '../../../kernel/instant.js';
import { PlatformCatalogue } from '../../../platforms/platform-catalogue.js';
import { ActivityQueries } from '../../../projections/activity/activity.queries.js';
import { PostExcerpts } from '../../../projections/posts/post-excerpts.queries.js';
import { PublicationDetailsQueries } from '../../../projections/posts/publication-details.queries.js';
import { NextPublications } from '../../../projections/publish-schedule/next-publications.queries.js';
import { PublicationViewBuilder } from '../posts/publication-view-builder.js';
import type { PublicationView } from '../posts/publication.view.js';
import type { LongestWaitView, WaitingPublicationView } from './overview.view.js';

/** Publications that are shown, and how many of them at least have waited longest, if so many wait. */
const SHOWN = 10;
const LONGEST = 3;
/** Rules that end by what a person does. */
const NEEDS_PERSON: ReadonlySet<string> = new Set(['needs_attention', 'quota']);

/** Builds the list of publications that go next or have waited longest. */
@Injectable()
export class WaitingBuilder {
  constructor(
    private readonly activity: ActivityQueries,
    private readonly next: NextPublications,
    private readonly details: PublicationDetailsQueries,
    private readonly excerpts: PostExcerpts,
    private readonly views: PublicationViewBuilder,
    private readonly platforms: PlatformCatalogue,
  ) {}

  /** Returns at most ten. None while the event store, which explains waits, cannot be read. @param ownerId null: all owners' */
  async build(ownerId: string | null, now: Instant): Promise<WaitingPublicationView[]> {
    const { ids: platforms } = this.platforms;
    const [next, longest] = await Promise.all([
      this.next.listNext(ownerId, platforms, now, SHOWN),
      this.activity.findLongestWaiting(ownerId, platforms, SHOWN),
    ]);
    const shown = await this.show(chooseShown(next, longest));
    return shown.toSorted((a, b) => goesAt(a, now) - goesAt(b, now) || compareAge(a, b));
  }

  /** Returns the owners whose publications have waited longest. */
  async buildLongest(): Promise<LongestWaitView[]> {
    const owners = await this.activity.findWaitingOwners(SHOWN);
    const shown = await this.show(owners.map(({ publication_id }) => publication_id));
    return owners.map(({ owner_id, owner_name, publication_id, platform, posts, oldest_at }) => ({
      ...{ owner_id, owner_name, platform, posts, oldest_at: iso(oldest_at) },
      rule: shown.find(({ id }) => id === publication_id)?.waiting_for?.rule ?? null,
    }));
  }

  /** Leaves out those that do not wait any more. */
  private async show(publicationIds: readonly string[]): Promise<WaitingPublicationView[]> {
    const found = await this.details.find(publicationIds);
    const queued = publicationIds.flatMap((id) => {
      const details = found.get(id);
      return details?.row.state === 'queued' ? [details] : [];
    });
    const rows = queued.map(({ row }) => row);
    const [views, excerpts] = await Promise.all([
      this.views.buildViews(rows).catch((error: unknown): PublicationView[] => {
        if (isStoreOutage(error)) return [];
        throw error;
      }),
      this.excerpts.find(rows.map(({ post_id }) => post_id)),
    ]);
    return views.map((view, i) => ({
      ...view,
      excerpt: excerpts.get(view.post_id) ?? null,
      accepted_at: iso(queued[i]!.accepted_at),
      channel: { id: view.target_id, name: queued[i]!.channel_name },
    }));
  }
}

/** Chooses ten: those that go next, with room for those that have waited longest. */
const chooseShown = (next: readonly string[], longest: readonly string[]): string[] => {
  const chosen = new Set(next.slice(0, SHOWN - LONGEST));
  for (const id of [...longest.slice(0, LONGEST), ...next, ...longest]) if (chosen.size < SHOWN) chosen.add(id);
  return [...chosen];
};

/** Returns when a publication goes, as far as is known. What waits for a person comes last, as does a wait without an end. */
const goesAt = ({ waiting_for }: WaitingPublicationView, now: Instant): Instant => {
  if (waiting_for && NEEDS_PERSON.has(waiting_for.rule)) return Infinity;
  const until = waiting_for?.until ?? null;
  return until === null ? now : Date.parse(until);
};

const compareAge = (a: WaitingPublicationView, b: WaitingPublicationView): number =>
  a.accepted_at < b.accepted_at || (a.accepted_at === b.accepted_at && a.sequence < b.sequence) ? -1 : 1;
