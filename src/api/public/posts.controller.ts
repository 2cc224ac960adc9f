import { Controller, Delete, Get, Header, HttpCode, Param, Patch, Post, Put, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ContentDto, PublishPayloadDto } from '../../payload/payload.dto.js';
import { RescheduleDto } from '../../payload/reschedule.dto.js';
import { WithdrawBody } from '../../payload/withdraw.dto.js';
import type { EndpointSnapshot } from '../../projections/discovery/endpoint-snapshots.queries.js';
import {
  type EndpointPost,
  FindEndpointPost,
  ListEndpointPosts,
} from '../../projections/posts/post-details.queries.js';
import { calendarKeyOf } from '../../projections/posts/posts.queries.js';
import { PUBLICATION_STATES, type PublicationViewState } from '../../projections/posts/posts.tables.js';
import { FIELD_MESSAGES } from '../../validation/messages.js';
import { ProblemList } from '../../validation/problem-list.js';
import { Must } from '../../validation/rules.js';
import { Documented } from '../documentation/documented.js';
import { takeHeavyReadTurn } from '../transport/answers.js';
import { buildListView, isCursorOf, type Page, PageQuery, readQuery, toPage } from '../transport/fields.js';
import { HttpProblem } from '../transport/problem.view.js';
import { ChangeReceiver } from './change-receiver.js';
import { DryRunQuery } from './content-edits.js';
import { PostStatusViewBuilder, requireEndpointPost } from './endpoint-post.js';
import { Gate } from './gate/gate.js';
import { bodyRejection } from './gate/rejections.js';
import {
  answerPost,
  type CancelledView,
  type ChangedPostView,
  type EditedPostStatusView,
  PostStatusListView,
  PostStatusView,
  PublishView,
  type WithdrawnPostStatusView,
} from './post.views.js';

/** Error codes of rejected changes, by status. */
export const CHANGE_CODES = {
  404: ['not_found'],
  409: ['already_released', 'post_ended', 'too_many_revisions'],
  412: ['revision_mismatch'],
};

/** Error codes of a rejected `publish_at`. */
export const TIME_CODES = ['invalid_publish_at', 'publish_at_past', 'publish_at_too_far'];

/** Changes an endpoint's planned posts (D-63). */
@Controller('v1/webhooks/:slug/posts/:post_id')
export class PostChangesController {
  constructor(private readonly changes: ChangeReceiver) {}

  @Documented({
    summary: 'Move a planned post to another time',
    body: RescheduleDto,
    codes: { ...CHANGE_CODES, 422: TIME_CODES },
  })
  @Patch()
  reschedule(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Param('slug') slug: string,
    @Param('post_id') id: string,
  ): Promise<ChangedPostView> {
    return this.changes.reschedule(request, reply, slug, id);
  }

  @Documented({
    summary: 'Replace the payload of a planned post',
    body: PublishPayloadDto,
    codes: { ...CHANGE_CODES, 422: ['invalid_targets', 'too_many_targets', ...TIME_CODES], 429: ['probe_budget'] },
  })
  @Put()
  replace(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Param('slug') slug: string,
    @Param('post_id') id: string,
  ): Promise<ChangedPostView> {
    return this.changes.replace(request, reply, slug, id);
  }

  @Documented({
    summary: 'Give a post new content',
    description:
      'Replaces the whole content. What is published is edited, never posted again; the answer says which channels cannot show the content. `?dry_run=true` changes nothing.',
    body: ContentDto,
    query: DryRunQuery,
    codes: {
      403: ['changes_not_allowed'],
      ...CHANGE_CODES,
      409: ['approval_required', 'content_erased', 'not_editable', 'post_ended', 'too_many_revisions'],
      429: ['probe_budget', 'preview_budget'],
    },
  })
  @Put('content')
  edit(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Param('slug') slug: string,
    @Param('post_id') id: string,
  ): Promise<EditedPostStatusView> {
    return this.changes.edit(request, reply, slug, id);
  }

  @Documented({
    summary: 'Take a post back',
    description:
      'Cancels what is not published, and deletes what is. Repeating is safe. Deleting goes on after the answer: `GET …/posts/{post_id}` shows what became of it.',
    body: WithdrawBody,
    codes: { 403: ['changes_not_allowed'], 404: ['not_found'], 422: ['invalid_targets'] },
  })
  @Post('withdraw')
  @HttpCode(200)
  withdraw(
    @Req() request: FastifyRequest,
    @Param('slug') slug: string,
    @Param('post_id') id: string,
  ): Promise<WithdrawnPostStatusView> {
    return this.changes.withdraw(request, slug, id);
  }

  @Documented({
    summary: "Cancel a post's planned or queued publications",
    status: 200,
    codes: { 404: ['not_found'], 409: ['publishing'], 412: ['revision_mismatch'] },
  })
  @Delete()
  @HttpCode(200)
  cancel(
    @Req() request: FastifyRequest,
    @Param('slug') slug: string,
    @Param('post_id') id: string,
  ): Promise<CancelledView> {
    return this.changes.cancel(request, slug, id);
  }
}

/** Publishes posts (publish-api.md: POST /v1/webhooks/{slug}). */
@Controller('v1/webhooks')
export class WebhooksController {
  constructor(private readonly gate: Gate) {}

  @Documented({
    summary: 'Publish a post',
    body: PublishPayloadDto,
    answer: PublishView,
    alsoAnswers: { 202: 'The stored answer to an earlier request with the same key' },
    codes: {
      402: ['quota_exhausted', 'resource_limit'],
      422: ['invalid_targets', 'too_many_targets', ...TIME_CODES],
      429: ['probe_budget'],
    },
  })
  @Post(':slug')
  @HttpCode(200)
  @Header('content-type', 'application/json; charset=utf-8')
  async publish(
    @Req() request: FastifyRequest,
    @Param('slug') slug: string,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    answerPost(request, reply, await this.gate.receivePost(request, slug));
  }
}

/** Query parameters for listing a client's own posts (D-65). */
export class EndpointPostsQuery extends PageQuery {
  @isCursorOf('post', 'calendar')
  declare readonly cursor: string | undefined;

  /** Posts with a publication in this state. Planned posts are sorted by `publish_at`, all others newest first. */
  @Must.beOneOf(PUBLICATION_STATES)
  readonly state: PublicationViewState | undefined;
}

const INVALID_QUERY = 'invalid_query';

/** Shows an endpoint's client the status of its own posts (D-48, D-65). */
@Controller('v1/webhooks/:slug/posts')
export class PostStatusController {
  constructor(
    private readonly gate: Gate,
    private readonly views: PostStatusViewBuilder,
    private readonly findEndpointPost: FindEndpointPost,
    private readonly listEndpointPosts: ListEndpointPosts,
  ) {}

  @Documented({ summary: 'List posts', query: EndpointPostsQuery, codes: { 422: [INVALID_QUERY] } })
  @Get()
  async list(@Req() request: FastifyRequest, @Param('slug') slug: string): Promise<PostStatusListView> {
    const { endpoint } = await this.gate.admit(request, slug, 'discovery');
    const { state, page } = checkQuery(request, endpoint);
    const release = await takeHeavyReadTurn(endpoint.owner_id);
    try {
      const range = { before: page.after, limit: page.limit + 1 };
      const part = await this.listEndpointPosts.execute(endpoint.endpoint_id, state, range);
      const keyOf = ({ post }: EndpointPost): string => (state === 'planned' ? calendarKeyOf(post) : post.post_id);
      return new PostStatusListView(
        await buildListView(part, page, keyOf, (posts) => this.views.build(endpoint, posts)),
      );
    } finally {
      release();
    }
  }

  @Documented({ summary: 'Show what became of a post', codes: { 404: ['not_found'] } })
  @Get(':post_id')
  async get(
    @Req() request: FastifyRequest,
    @Param('slug') slug: string,
    @Param('post_id') postId: string,
  ): Promise<PostStatusView> {
    const { endpoint } = await this.gate.admit(request, slug, 'discovery');
    const found = await requireEndpointPost(this.findEndpointPost, request, endpoint, postId);
    const [view] = await this.views.build(endpoint, [found]);
    return view!;
  }
}

/** Reads the query parameters of a list. A cursor is valid for one sort order only. @throws GateRejection 422 */
const checkQuery = (
  request: FastifyRequest,
  endpoint: EndpointSnapshot,
): { readonly state: EndpointPostsQuery['state']; readonly page: Page } => {
  try {
    const query = readQuery(request, EndpointPostsQuery, INVALID_QUERY);
    const page = toPage(query);
    if (page.after !== null && page.after.includes('/') !== (query.state === 'planned')) {
      const problems = new ProblemList();
      problems.add(422, 'cursor', 'bad_cursor', FIELD_MESSAGES.badCursor);
      throw new HttpProblem(422, INVALID_QUERY, problems.refused().problems);
    }
    return { state: query.state, page };
  } catch (error) {
    throw error instanceof HttpProblem ? bodyRejection(endpoint, error) : error;
  }
};
