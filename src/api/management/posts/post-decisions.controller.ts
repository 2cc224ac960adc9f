import { Controller, Param, Post, UseGuards } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { PostChanges, type PostDecision } from '../../../commands/post/post-changes.js';
import { READ_MODELS_OF_POSTS } from '../../../commands/post/read-models.js';
import { FindPost } from '../../../projections/posts/posts.queries.js';
import { Documented } from '../../documentation/documented.js';
import { type BodyReader, fieldsReader } from '../../transport/fields.js';
import { HttpProblem } from '../../transport/http-problem.js';
import { readIfMatch } from '../../transport/if-match.js';
import { ApiKeyGuard } from '../api-key.guard.js';
import { ChangePipeline } from '../change-pipeline.js';
import { notFoundProblem } from '../http-problems.js';
import { IdPipe } from '../id.pipe.js';
import { BODY_MESSAGES, CALL_MESSAGES } from '../messages.js';
import { type Call, TheCall } from '../resource-call.js';
import { ApproveBody, RejectBody } from './decision.bodies.js';
import { PostWithPayloadView } from './post.view.js';
import { PublicationViewBuilder } from './publication-view-builder.js';
import { requirePost } from './require-post.js';

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
    private readonly findPost: FindPost,
    private readonly postChanges: PostChanges,
    private readonly changes: ChangePipeline,
    private readonly publications: PublicationViewBuilder,
  ) {}

  @Documented({
    summary: 'Approve a post that waits for approval',
    description: 'Send the revision that was read: as `revision`, or the `ETag` of `GET /posts/{id}` as `If-Match`.',
    body: ApproveBody,
    codes: { ...CODES, 412: ['revision_mismatch'], 428: ['revision_required'] },
  })
  @Post('approve')
  approve(@TheCall() call: Call, @Param('id', IdPipe) id: string): Promise<PostWithPayloadView> {
    return this.decide(call, id, readApproval(call.request));
  }

  @Documented({ summary: 'Reject a post that waits for approval', body: RejectBody, codes: CODES })
  @Post('reject')
  reject(@TheCall() call: Call, @Param('id', IdPipe) id: string): Promise<PostWithPayloadView> {
    return this.decide(call, id, readRejection);
  }

  private async decide(call: Call, id: string, read: BodyReader<PostDecision>): Promise<PostWithPayloadView> {
    const { post } = await requirePost(this.findPost, call.request, id);
    const place = { postId: id, stream: post.stream, revision: post.revision };
    const shown = await this.changes.handlePost({ ...call, read }, async (decision, { context }) => {
      const outcome = await this.postChanges.decide(place, decision, context);
      if (outcome === null) throw notFoundProblem('post');
      const show = async () => {
        const found = await requirePost(this.findPost, call.request, id);
        return new PostWithPayloadView(found, await this.publications.buildViews(found.publications));
      };
      return { outcome, readModels: READ_MODELS_OF_POSTS, show };
    });
    void call.reply.header('etag', `"${shown.revision}"`);
    return shown;
  }
}
