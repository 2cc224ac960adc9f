import { Controller, Get, Param, Post, Req, UseGuards, UseInterceptors } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { READ_MODELS_OF_POSTS } from '../../../commands/post/planned-posts.js';
import { PostChanges, type PostDecision } from '../../../commands/post/post-changes.js';
import { WithdrawPosts } from '../../../commands/post/withdraw-posts.js';
import { CancelPublications } from '../../../commands/publication.js';
import { SkippedPosts } from '../../../history/skipped-posts.js';
import { isRejection } from '../../../kernel/result.js';
import { wordsOf } from '../../../payload/search-words.js';
import { readWithdrawal, WithdrawBody, type WithdrawRequest } from '../../../payload/withdraw.dto.js';
import {
  calendarKeyOf,
  FindPost,
  ListPosts,
  type PostWithPublications,
} from '../../../projections/posts/posts.queries.js';
import { FIELD_MESSAGES } from '../../../validation/messages.js';
import { Documented } from '../../documentation/documented.js';
import { chooseTargets } from '../../public/endpoint-post.js';
import {
  type ArchivedListView,
  type BodyReader,
  buildListView,
  fieldsReader,
  type Page,
  readQuery,
  toPage,
} from '../../transport/fields.js';
import { readIfMatch } from '../../transport/headers.js';
import { fieldProblem, HttpProblem, notFoundProblem } from '../../transport/problem.view.js';
import { ApiKeyGuard, getListScope, getSight, HeavyReadTurn } from '../api-key.guard.js';
import { ChangePipeline } from '../change-pipeline.js';
import { IdPipe, toInstant } from '../common-fields.js';
import { BODY_MESSAGES, CALL_MESSAGES, HISTORY_MESSAGES } from '../messages.js';
import { type Call, OfPost, OwnedResources, type PostCall, TheCall } from '../owned-resources.js';
import {
  ApproveBody,
  CancelledPostView,
  PostsQuery,
  PostView,
  PostWithPayloadView,
  RejectBody,
  WithdrawnPostView,
} from './post.dto.js';
import { type PublicationView, PublicationViewBuilder } from './publication.view.js';

/** Shows posts, and cancels their planned or queued publications (management-api.md: Routes; D-36). */
@Controller('manage/v1/posts')
@UseGuards(ApiKeyGuard)
export class PostsController {
  constructor(
    private readonly cancelPublications: CancelPublications,
    private readonly withdrawals: WithdrawPosts,
    private readonly listPosts: ListPosts,
    private readonly findPost: FindPost,
    private readonly resources: OwnedResources,
    private readonly changes: ChangePipeline,
    private readonly publications: PublicationViewBuilder,
    private readonly skipped: SkippedPosts,
  ) {}

  @Documented({ summary: 'List posts', scope: 'read', forLimitedKeys: true, query: PostsQuery })
  @UseInterceptors(HeavyReadTurn)
  @Get()
  async list(@Req() request: FastifyRequest): Promise<ArchivedListView<PostView>> {
    const query = readQuery(request, PostsQuery);
    const page = toPage(query);
    requireCursorOfOrder(query, page);
    const filter = {
      ownerId: getListScope(request, query.owner_id),
      endpointId: query.endpoint_id,
      endpointIds: getSight(request).endpointIds,
      channelId: query.channel_id,
      projectId: query.project_id,
      order: query.order,
      state: query.state,
      isPending: query.approval === 'pending',
      externalId: query.external_id,
      traceId: query.trace_id,
      by: query.by,
      since: toInstant(query.since),
      until: toInstant(query.until),
    };
    const range = { before: page.after, limit: page.limit + 1 };
    const part = await this.listPosts.execute(
      filter,
      range,
      query.text === undefined ? undefined : wordsOf(query.text),
    );
    return buildListView(
      part,
      page,
      ({ post }) => (query.order === undefined ? post.post_id : calendarKeyOf(post)),
      (shown) => this.buildViews(shown, getSight(request).endpointIds),
    );
  }

  @Documented({
    summary: 'Show a post with its payload and publications',
    scope: 'read',
    forLimitedKeys: true,
    description:
      'The code `skipped` means that the post was accepted, but the operator skipped its acceptance in the projection `posts`; the message has the reason.',
    codes: { 404: ['skipped'] },
  })
  @UseInterceptors(HeavyReadTurn)
  @Get(':id')
  async get(@TheCall() { request, reply }: Call, @Param('id', IdPipe) id: string): Promise<PostWithPayloadView> {
    const { ownerId, endpointIds } = getSight(request);
    const found = await this.findPost.execute(id, ownerId, endpointIds);
    if (!found) throw endpointIds === null ? await this.explainAbsence(id, ownerId) : notFoundProblem('post');
    void reply.header('etag', `"${found.post.version}"`);
    return new PostWithPayloadView(found, await this.publications.buildViews(found.publications, endpointIds));
  }

  @Documented({
    summary: "Cancel a post's planned or queued publications",
    scope: 'post',
    forLimitedKeys: true,
    codes: { 409: ['wrong_state', 'publishing'] },
  })
  @Post(':id/cancel')
  async cancel(@OfPost() call: PostCall): Promise<CancelledPostView> {
    const { id, found } = call;
    return this.changes.handlePost(call, async (_, change) => {
      const ids = found.publications.map(({ publication_id: publicationId, channel_id: channelId }) => ({
        publicationId,
        postId: id,
        channelId,
      }));
      const outcome = await this.cancelPublications.execute(change.context, ids);
      const cancelled = isRejection(outcome) ? 0 : outcome.cancelled;
      const show = async () => new CancelledPostView(cancelled, await this.showPublications(call));
      return { outcome, readModels: READ_MODELS_OF_POSTS, show };
    });
  }

  @Documented({
    summary: 'Take a post back',
    scope: 'post',
    forLimitedKeys: true,
    description:
      'Cancels what is not published, and deletes what is, on all channels or on `targets`. Repeating is safe. Deleting goes on after the answer: the publications show how far it is.',
    body: WithdrawBody,
    codes: { 422: ['invalid_targets'] },
  })
  @Post(':id/withdraw')
  async withdraw(@OfPost() call: PostCall): Promise<WithdrawnPostView> {
    const { id, found, place } = call;
    return this.changes.handlePost({ ...call, read: readWithdrawalBody }, async ({ targets, reason }, { context }) => {
      const chosen = chooseTargets(found, targets);
      if ('problems' in chosen) throw new HttpProblem(422, 'invalid_targets', chosen.problems);
      const outcome = await this.withdrawals.withdraw(place, chosen.targets, reason, context);
      if (outcome === null) throw notFoundProblem('post');
      const show = async () => {
        const counts = isRejection(outcome) ? { withdrawing: 0, cancelled: 0, unchanged: 0 } : outcome;
        return new WithdrawnPostView(id, counts, await this.showPublications(call));
      };
      return { outcome, readModels: READ_MODELS_OF_POSTS, show };
    });
  }

  private async showPublications({ request, id }: PostCall): Promise<PublicationView[]> {
    const { publications } = await this.resources.findPost(request, id);
    return this.publications.buildViews(publications, getSight(request).endpointIds);
  }

  private async explainAbsence(id: string, ownerId: string | null): Promise<HttpProblem> {
    const skipped = await this.skipped.find(id, ownerId);
    if (!skipped) return notFoundProblem('post');
    const { reason, eventId: event } = skipped;
    return HttpProblem.withMessage(404, 'skipped', HISTORY_MESSAGES.acceptanceSkipped({ reason, event }));
  }

  private async buildViews(
    rows: readonly PostWithPublications[],
    endpointIds: readonly string[] | null,
  ): Promise<PostView[]> {
    // Builds the views of a whole page at once, with a single schedule query for all posts.
    const publications = await this.publications.buildViews(
      rows.flatMap((row) => row.publications),
      endpointIds,
    );
    let from = 0;
    return rows.map((row) => {
      const own = publications.slice(from, from + row.publications.length);
      from += row.publications.length;
      return new PostView(row, own);
    });
  }
}

const readWithdrawalBody: BodyReader<WithdrawRequest> = (sent, problems) =>
  readWithdrawal(fieldsReader(WithdrawBody)(sent, problems), sent, problems);

/** @throws HttpProblem 422 if the cursor belongs to a list in another sort order */
const requireCursorOfOrder = ({ order }: PostsQuery, { after }: Page): void => {
  if (after === null || after.includes('/') === (order !== undefined)) return;
  throw fieldProblem('cursor', 'bad_cursor', FIELD_MESSAGES.badCursor);
};

const CODES = { 409: ['already_decided', 'no_approval_required', 'already_released', 'post_ended'] } as const;

/** Reads an approval, with the revision that `If-Match` or the body names (D-81). @throws HttpProblem 428 */
const readApproval =
  (request: FastifyRequest): BodyReader<PostDecision> =>
  (sent, problems) => {
    const { note = null, revision } = fieldsReader(ApproveBody)(sent, problems);
    const tags = readIfMatch(request);
    if (revision !== undefined && tags !== null && !tags.includes(revision))
      problems.add(422, 'revision', 'revision_differs', BODY_MESSAGES.revisionDiffers);
    const ifRevision = revision === undefined ? tags : [revision];
    // A list or * does not say which revision was read.
    if (problems.isEmpty && (ifRevision === null || ifRevision.length > 1))
      throw HttpProblem.withMessage(428, 'revision_required', CALL_MESSAGES.revisionRequired);
    return { type: 'ApprovePost', note, ifRevision: ifRevision ?? [] };
  };

const readRejection: BodyReader<PostDecision> = (sent, problems) => {
  const { reason } = fieldsReader(RejectBody)(sent, problems);
  return { type: 'RejectPost', reason };
};

/** Approves and rejects posts that wait for approval (D-62). */
@Controller('manage/v1/posts/:id')
@UseGuards(ApiKeyGuard)
export class PostDecisionsController {
  constructor(
    private readonly resources: OwnedResources,
    private readonly postChanges: PostChanges,
    private readonly changes: ChangePipeline,
    private readonly publications: PublicationViewBuilder,
  ) {}

  @Documented({
    summary: 'Approve a post that waits for approval',
    scope: 'approve',
    forLimitedKeys: true,
    description: 'Send the revision that was read: as `revision`, or the `ETag` of `GET /posts/{id}` as `If-Match`.',
    body: ApproveBody,
    codes: { ...CODES, 412: ['revision_mismatch'], 428: ['revision_required'] },
  })
  @Post('approve')
  approve(@OfPost() call: PostCall): Promise<PostWithPayloadView> {
    return this.decide(call, readApproval(call.request));
  }

  @Documented({
    summary: 'Reject a post that waits for approval',
    scope: 'approve',
    forLimitedKeys: true,
    body: RejectBody,
    codes: CODES,
  })
  @Post('reject')
  reject(@OfPost() call: PostCall): Promise<PostWithPayloadView> {
    return this.decide(call, readRejection);
  }

  private async decide(call: PostCall, read: BodyReader<PostDecision>): Promise<PostWithPayloadView> {
    const shown = await this.changes.handlePost({ ...call, read }, async (decision, { context }) => {
      const outcome = await this.postChanges.decide(call.place, decision, context);
      if (outcome === null) throw notFoundProblem('post');
      const show = async () => {
        const found = await this.resources.findPost(call.request, call.id);
        return new PostWithPayloadView(
          found,
          await this.publications.buildViews(found.publications, getSight(call.request).endpointIds),
        );
      };
      return { outcome, readModels: READ_MODELS_OF_POSTS, show };
    });
    void call.reply.header('etag', `"${shown.revision}"`);
    return shown;
  }
}
