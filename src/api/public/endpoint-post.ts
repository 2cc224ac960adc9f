import { Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { WithdrawnTarget } from '../../commands/post/withdraw-posts.js';
import { CLOCK, type Clock } from '../../kernel/clock.js';
import { WITHDRAW_MESSAGES } from '../../payload/messages.js';
import { FindEndpointTargets } from '../../projections/discovery/discovery.queries.js';
import type { EndpointSnapshot } from '../../projections/discovery/endpoint-snapshots.queries.js';
import { type EndpointPost, type FindEndpointPost, PostPlans } from '../../projections/posts/post-details.queries.js';
import type { PostRow } from '../../projections/posts/posts.tables.js';
import { FindHolds, type ScheduledWithHold } from '../../projections/publish-schedule/holds.queries.js';
import { PublicationStatistics } from '../../statistics/statistics.queries.js';
import { type Problem, ProblemList } from '../../validation/problem-list.js';
import { ChangeForecasts } from './change.views.js';
import { postNotFoundRejection } from './gate/rejections.js';
import { PostStatusView } from './post.views.js';

/** Ids that do not match this pattern are not looked up. */
const POST_ID = /^post_\w{1,64}$/;

/** Finds a post that the endpoint accepted, and adds its id to the request's log entry. @throws GateRejection 404 */
export const requireEndpointPost = async (
  query: FindEndpointPost,
  request: FastifyRequest,
  endpoint: EndpointSnapshot,
  id: string,
): Promise<EndpointPost> => {
  const found = POST_ID.test(id) ? await query.execute(endpoint.endpoint_id, id) : null;
  if (!found) throw postNotFoundRejection(endpoint);
  request.logEntry!.traceId = found.post.trace_id;
  request.logEntry!.postId = found.post.post_id;
  return found;
};

/** Publications of a post, as a take-back names them; or the problems of the list of channels. */
type ChosenTargets = { readonly targets: readonly WithdrawnTarget[] } | { readonly problems: readonly Problem[] };

/** Chooses the publications of a post on these channels. @param channelIds null for all */
export const chooseTargets = (
  { post, publications }: Pick<EndpointPost, 'publications'> & { readonly post: Pick<PostRow, 'post_id' | 'owner_id'> },
  channelIds: readonly string[] | null,
): ChosenTargets => {
  const problems = new ProblemList();
  const known = new Set(publications.map(({ channel_id }) => channel_id));
  for (const [index, id] of (channelIds ?? []).entries()) {
    if (problems.isFull) break;
    if (!known.has(id)) problems.add(422, `targets[${index}]`, 'invalid_targets', WITHDRAW_MESSAGES.unknownTarget);
  }
  if (!problems.isEmpty) return problems.refused();
  const wanted = channelIds && new Set(channelIds);
  const { post_id: postId, owner_id: ownerId } = post;
  const chosen = publications.filter(({ channel_id }) => wanted?.has(channel_id) ?? true);
  return {
    targets: chosen.map(({ publication_id: publicationId, channel_id: channelId, platform }) => ({
      publicationId,
      postId,
      channelId,
      ownerId,
      platform,
    })),
  };
};

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
