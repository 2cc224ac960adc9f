import { Controller, Get, Param, Post, Req, UseGuards, UseInterceptors } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { FastifyRequest } from 'fastify';
import { READ_MODELS_OF_POSTS } from '../../../commands/post/read-models.js';
import { CancelPublications } from '../../../commands/publication/cancel-publications.js';
import { SkippedPosts } from '../../../history/skipped-posts.js';
import { isRejection } from '../../../kernel/result.js';
import {
  calendarKeyOf,
  FindPost,
  ListPosts,
  type PostWithPublications,
} from '../../../projections/posts/posts.queries.js';
import { FIELD_MESSAGES } from '../../../validation/messages.js';
import { Documented } from '../../documentation/documented.js';
import { fieldsReader, readQuery } from '../../transport/fields.js';
import { HttpProblem } from '../../transport/http-problem.js';
import { buildListView, type ListView, type Page, toPage } from '../../transport/page.js';
import { ApiKeyGuard } from '../api-key.guard.js';
import { getListScope, getOwnerScope } from '../caller.js';
import { ChangePipeline } from '../change-pipeline.js';
import { HeavyReadTurn } from '../heavy-read-turn.js';
import { fieldProblem, notFoundProblem } from '../http-problems.js';
import { IdPipe } from '../id.pipe.js';
import { HISTORY_MESSAGES } from '../messages.js';
import { EmptyBody } from '../pause.body.js';
import { type Call, TheCall } from '../resource-call.js';
import { toInstant } from '../time.js';
import { CancelledPostView, PostView, PostWithPayloadView } from './post.view.js';
import { PostsQuery } from './posts.query.js';
import { PublicationViewBuilder } from './publication-view-builder.js';
import { requirePost } from './require-post.js';

/** Shows posts, and cancels their planned or queued publications (management-api.md: Routes; D-36). */
@Controller('manage/v1/posts')
@UseGuards(ApiKeyGuard)
export class PostsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly listPosts: ListPosts,
    private readonly findPost: FindPost,
    private readonly changes: ChangePipeline,
    private readonly publications: PublicationViewBuilder,
    private readonly skipped: SkippedPosts,
  ) {}

  @Documented({ summary: 'List posts', query: PostsQuery })
  @UseInterceptors(HeavyReadTurn)
  @Get()
  async list(@Req() request: FastifyRequest): Promise<ListView<PostView>> {
    const query = readQuery(request, PostsQuery);
    const page = toPage(query);
    requireCursorOfOrder(query, page);
    const filter = {
      ownerId: getListScope(request, query.owner_id),
      endpointId: query.endpoint_id,
      channelId: query.channel_id,
      projectId: query.project_id,
      order: query.order,
      state: query.state,
      isPending: query.approval === 'pending',
      externalId: query.external_id,
      traceId: query.trace_id,
      since: toInstant(query.since),
      until: toInstant(query.until),
    };
    const part = await this.listPosts.execute(filter, { before: page.after, limit: page.limit + 1 });
    return buildListView(
      part,
      page,
      ({ post }) => (query.order === undefined ? post.post_id : calendarKeyOf(post)),
      (shown) => this.buildViews(shown),
    );
  }

  @Documented({
    summary: 'Show a post with its payload and publications',
    description:
      'The code `skipped` means that the post was accepted, but the operator skipped its acceptance in the projection `posts`; the message has the reason.',
    codes: { 404: ['skipped'] },
  })
  @UseInterceptors(HeavyReadTurn)
  @Get(':id')
  async get(@TheCall() { request, reply }: Call, @Param('id', IdPipe) id: string): Promise<PostWithPayloadView> {
    const found = await this.findPost.execute(id, getOwnerScope(request));
    if (!found) throw await this.explainAbsence(id, getOwnerScope(request));
    void reply.header('etag', `"${found.post.version}"`);
    return new PostWithPayloadView(found, await this.publications.buildViews(found.publications));
  }

  @Documented({
    summary: "Cancel a post's planned or queued publications",
    codes: { 409: ['wrong_state', 'publishing'] },
  })
  @Post(':id/cancel')
  async cancel(@TheCall() call: Call, @Param('id', IdPipe) id: string): Promise<CancelledPostView> {
    const { publications } = await requirePost(this.findPost, call.request, id);
    return this.changes.handlePost({ ...call, read: fieldsReader(EmptyBody) }, async (_, change) => {
      const ids = publications.map(({ publication_id: publicationId, channel_id: channelId }) => ({
        publicationId,
        postId: id,
        channelId,
      }));
      const outcome = await this.commands.execute(new CancelPublications(change.context, ids));
      const cancelled = isRejection(outcome) ? 0 : outcome.cancelled;
      const show = async () => {
        const found = await requirePost(this.findPost, call.request, id);
        return new CancelledPostView(cancelled, await this.publications.buildViews(found.publications));
      };
      return { outcome, readModels: READ_MODELS_OF_POSTS, show };
    });
  }

  private async explainAbsence(id: string, ownerId: string | null): Promise<HttpProblem> {
    const skipped = await this.skipped.find(id, ownerId);
    if (!skipped) return notFoundProblem('post');
    const { reason, eventId: event } = skipped;
    return HttpProblem.withMessage(404, 'skipped', HISTORY_MESSAGES.acceptanceSkipped({ reason, event }));
  }

  private async buildViews(rows: readonly PostWithPublications[]): Promise<PostView[]> {
    // Builds the views of a whole page at once, with a single schedule query for all posts.
    const publications = await this.publications.buildViews(rows.flatMap((row) => row.publications));
    let from = 0;
    return rows.map((row) => {
      const own = publications.slice(from, from + row.publications.length);
      from += row.publications.length;
      return new PostView(row, own);
    });
  }
}

/** @throws HttpProblem 422 if the cursor belongs to a list in another sort order */
const requireCursorOfOrder = ({ order }: PostsQuery, { after }: Page): void => {
  if (after === null || after.includes('/') === (order !== undefined)) return;
  throw fieldProblem('cursor', 'bad_cursor', FIELD_MESSAGES.badCursor);
};
