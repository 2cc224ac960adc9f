import { Controller, Get, Inject, Param, Req } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import type { FastifyRequest } from 'fastify';
import type { Settings } from '../../config/settings.js';
import { SETTINGS } from '../../config/tokens.js';
import { type Clock, CLOCK } from '../../kernel/clock.js';
import type { EndpointSnapshot } from '../../projections/discovery/endpoint-snapshots.queries.js';
import { FindEndpointTargets } from '../../projections/discovery/endpoint-targets.queries.js';
import { type EndpointPost, FindEndpointPost } from '../../projections/posts/endpoint-post.queries.js';
import { FindHolds, type ScheduledWithHold } from '../../projections/publish-schedule/holds.queries.js';
import { Gate } from './gate/gate.js';
import { postNotFoundRejection } from './gate/rejections.js';
import { PostStatusView } from './post-status.view.js';
import { Documented } from '../documentation/documented.js';

/** Form of a post's id. What has another form is not searched for. */
const POST_ID = /^post_\w{1,64}$/;

/** Tells an endpoint's own client what became of a post (D-48). */
@Controller('v1/webhooks/:slug')
export class PostStatusController {
  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly gate: Gate,
    private readonly queries: QueryBus,
  ) {}

  @Documented({ summary: 'Show what became of a post', codes: { 404: ['not_found'] } })
  @Get('posts/:post_id')
  async get(
    @Req() request: FastifyRequest,
    @Param('slug') slug: string,
    @Param('post_id') postId: string,
  ): Promise<PostStatusView> {
    const { endpoint } = await this.gate.admit(request, slug, 'discovery');
    const found = await this.findPost(endpoint, postId);
    request.logEntry!.traceId = found.post.trace_id;
    request.logEntry!.postId = found.post.post_id;
    const projects = await this.queries.execute(new FindEndpointTargets(endpoint.endpoint_id));
    return new PostStatusView(found, await this.findHolds(found), projects, endpoint.verbose_discovery);
  }

  private findHolds({ publications }: EndpointPost): Promise<readonly ScheduledWithHold[]> {
    const queued = publications.filter(({ state }) => state === 'queued').map(({ publication_id: id }) => id);
    return this.queries.execute(new FindHolds(queued, this.clock.now(), this.settings.minuteMs));
  }

  /** @throws GateRejection 404 if the endpoint accepted no such post */
  private async findPost(endpoint: EndpointSnapshot, postId: string): Promise<EndpointPost> {
    const found = POST_ID.test(postId)
      ? await this.queries.execute(new FindEndpointPost(endpoint.endpoint_id, postId))
      : null;
    if (!found) throw postNotFoundRejection(endpoint);
    return found;
  }
}
