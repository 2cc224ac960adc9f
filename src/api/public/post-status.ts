import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, type Clock } from '../../kernel/clock.js';
import { FindEndpointTargets } from '../../projections/discovery/discovery.queries.js';
import type { EndpointSnapshot } from '../../projections/discovery/endpoint-snapshots.queries.js';
import { type EndpointPost, PostPlans } from '../../projections/posts/post-details.queries.js';
import { FindHolds, type ScheduledWithHold } from '../../projections/publish-schedule/holds.queries.js';
import { PublicationStatistics } from '../../statistics/statistics.queries.js';
import { ChangeForecasts } from './change-forecast.js';
import { PostStatusView } from './post.views.js';

/** Builds the views of posts for the clients of their endpoint, including why each publication waits (D-48). */
@Injectable()
export class PostStatusViewBuilder {
  constructor(
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly findEndpointTargets: FindEndpointTargets,
    private readonly findHoldsQuery: FindHolds,
    private readonly plans: PostPlans,
    private readonly forecasts: ChangeForecasts,
    private readonly statistics: PublicationStatistics,
  ) {}

  /** Returns one view per post, in the same order. */
  async build(endpoint: EndpointSnapshot, posts: readonly EndpointPost[]): Promise<PostStatusView[]> {
    const projects = await this.findEndpointTargets.execute(endpoint.endpoint_id);
    const holds = await this.findHolds(posts);
    const planned = posts.filter(({ post }) => post.is_planned).map(({ post }) => post.post_id);
    const plans = await this.plans.find(planned);
    const isVerbose = endpoint.verbose_discovery;
    const publications = posts.flatMap((post) => post.publications);
    const can = await this.forecasts.forecast(publications);
    const statistics = await this.statistics.find(publications);
    return posts.map(
      (post) => new PostStatusView(post, holds, plans.get(post.post.post_id), projects, isVerbose, can, statistics),
    );
  }

  /** Finds the holds of the posts' queued publications. Returns them by publication id. */
  private async findHolds(posts: readonly EndpointPost[]): Promise<ReadonlyMap<string, ScheduledWithHold>> {
    const publications = posts.flatMap((post) => post.publications);
    const queued = publications.filter(({ state }) => state === 'queued').map(({ publication_id: id }) => id);
    const scheduled = await this.findHoldsQuery.execute(queued, this.clock.now());
    return new Map(scheduled.map((each) => [each.publication.publication_id, each]));
  }
}
