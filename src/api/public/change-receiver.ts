import { Inject, Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type CommandContext, newCommandContext, originOfRequest } from '../../commands/command.js';
import { type ChangedPost, type PostPlace, READ_MODELS_OF_POSTS } from '../../commands/post/planned-posts.js';
import {
  type ChangeAuthor,
  type PostChangeResult,
  PostChanges,
  type Replacement,
} from '../../commands/post/post-changes.js';
import { WithdrawPosts } from '../../commands/post/withdraw-posts.js';
import { CancelPublications } from '../../commands/publication.js';
import { audienceOf } from '../../commands/resolve-targets.js';
import { type Clock, SHARED_CLOCK } from '../../kernel/clock.js';
import { endpointActor } from '../../kernel/events.js';
import { isRejection, reject, type Rejection } from '../../kernel/result.js';
import { ADDRESS_POLICY, type AddressPolicy } from '../../outbound-http/url-rules.js';
import { codeOfRefusal } from '../../payload/publish-at.js';
import { validateReschedule } from '../../payload/reschedule.dto.js';
import { validateWithdraw } from '../../payload/withdraw.dto.js';
import { PlatformCatalogue } from '../../platforms/platform-catalogue.js';
import type { EndpointSnapshot } from '../../projections/discovery/endpoint-snapshots.queries.js';
import { ProjectionProgress } from '../../projections/engine/progress.js';
import { type EndpointPost, FindEndpointPost } from '../../projections/posts/post-details.queries.js';
import { readQuery } from '../transport/fields.js';
import { readIfMatch } from '../transport/headers.js';
import { HttpProblem } from '../transport/problem.view.js';
import { ContentEdits, DryRunQuery } from './content-edits.js';
import { chooseTargets, PostStatusViewBuilder, requireEndpointPost } from './endpoint-post.js';
import { type AdmittedRequest, Gate } from './gate/gate.js';
import { ContentCheck, parsePost } from './gate/parsed-post.js';
import {
  bodyRejection,
  changeRejection,
  changesNotAllowedRejection,
  postNotFoundRejection,
} from './gate/rejections.js';
import { CHANGE_MESSAGES } from './messages.js';
import { checkBody, readJson } from './payload-check.js';
import { CancelledView, ChangedPostView, EditedPostStatusView, WithdrawnPostStatusView } from './post.views.js';

/** How long to wait for the read models before responding, in ms. The change takes effect either way. */
const READ_MODELS_MS = 5_000;

interface AdmittedChange extends AdmittedRequest {
  readonly found: EndpointPost;
  readonly place: PostPlace;
  readonly context: CommandContext;
  /** The post revisions at which the change is allowed; null for any revision. */
  readonly ifRevision: readonly number[] | null;
}

/** Changes planned posts on behalf of the clients of their endpoints (D-63). */
@Injectable()
export class ChangeReceiver {
  constructor(
    @Inject(ADDRESS_POLICY) private readonly addresses: AddressPolicy,
    @Inject(SHARED_CLOCK) private readonly clock: Clock,
    private readonly gate: Gate,
    private readonly content: ContentCheck,
    private readonly changes: PostChanges,
    private readonly cancelPublications: CancelPublications,
    private readonly withdrawals: WithdrawPosts,
    private readonly contents: ContentEdits,
    private readonly views: PostStatusViewBuilder,
    private readonly findEndpointPost: FindEndpointPost,
    private readonly catalogue: PlatformCatalogue,
    private readonly progress: ProjectionProgress,
  ) {}

  /** Moves a post to another time. @throws GateRejection */
  async reschedule(request: FastifyRequest, reply: FastifyReply, slug: string, id: string): Promise<ChangedPostView> {
    const { endpoint, place, context, body, ifRevision } = await this.admit(request, slug, id, 'reschedule');
    const { checked } = checkBody(await readJson(body), (value) => validateReschedule(value, context.at));
    if (!checked.ok)
      throw bodyRejection(endpoint, new HttpProblem(checked.status, codeOfRefusal(checked.problems), checked.problems));
    const change = { author: clientOf(endpoint), ifRevision };
    return this.answer(endpoint, reply, await this.changes.reschedule(place, checked.publishAt, change, context));
  }

  /** Replaces the payload of a post. @throws GateRejection */
  async replace(request: FastifyRequest, reply: FastifyReply, slug: string, id: string): Promise<ChangedPostView> {
    const { endpoint, place, context, body, ifRevision } = await this.admit(request, slug, id, 'replace');
    const replacement = await this.checkReplacement(endpoint, body);
    const change = { author: clientOf(endpoint), ifRevision };
    return this.answer(endpoint, reply, await this.changes.replace(place, replacement, change, context));
  }

  /** Takes a post back (D-69). @throws GateRejection */
  async withdraw(request: FastifyRequest, slug: string, id: string): Promise<WithdrawnPostStatusView> {
    const { endpoint, found, place, context, body } = await this.admit(request, slug, id, 'withdraw');
    const { checked } = checkBody(await readJson(body), validateWithdraw);
    if (!checked.ok)
      throw bodyRejection(endpoint, new HttpProblem(checked.status, 'invalid_payload', checked.problems));
    const { targets, reason } = checked;
    const chosen = chooseTargets(found, targets);
    if ('problems' in chosen) throw bodyRejection(endpoint, new HttpProblem(422, 'invalid_targets', chosen.problems));
    const result = await this.withdrawals.withdraw(place, chosen.targets, reason, context);
    if (result === null) throw postNotFoundRejection(endpoint);
    if (isRejection(result)) throw changeRejection(endpoint, result);
    await this.progress.waitFor(READ_MODELS_OF_POSTS, result.position, READ_MODELS_MS);
    const shown = await requireEndpointPost(this.findEndpointPost, request, endpoint, id);
    const [view] = await this.views.build(endpoint, [shown]);
    return new WithdrawnPostStatusView(result, view!);
  }

  /** Gives a post new content (D-72). @throws GateRejection */
  async edit(request: FastifyRequest, reply: FastifyReply, slug: string, id: string): Promise<EditedPostStatusView> {
    const { endpoint, found, place, context, body, ifRevision } = await this.admit(request, slug, id, 'edit');
    const change = { author: clientOf(endpoint), ifRevision };
    const edit = async () => {
      const isDryRun = readQuery(request, DryRunQuery, 'invalid_query').dry_run === 'true';
      return this.contents.edit({ ...found, place, body, change, context, isDryRun });
    };
    const result = await edit().catch((error: unknown) => {
      throw error instanceof HttpProblem && error.status < 500 ? bodyRejection(endpoint, error) : error;
    });
    if (result === null) throw postNotFoundRejection(endpoint);
    if (isRejection(result)) throw changeRejection(endpoint, result);
    const { edited, rows, requests, warnings } = result;
    await this.progress.waitFor(READ_MODELS_OF_POSTS, edited.position, READ_MODELS_MS);
    const shown = rows
      ? { ...found, publications: rows }
      : await requireEndpointPost(this.findEndpointPost, request, endpoint, id);
    const [view] = await this.views.build(endpoint, [shown]);
    const publications = view!.publications.map((each, i) => {
      const calls = requests.get(shown.publications[i]!.publication_id);
      return rows ? { ...each, requests: calls ?? [] } : each;
    });
    void reply.header('etag', `"${edited.revision}"`);
    return new EditedPostStatusView(edited, { id, publications }, warnings);
  }

  /** Cancels a post's planned or queued publications. @throws GateRejection */
  async cancel(request: FastifyRequest, slug: string, id: string): Promise<CancelledView> {
    const { endpoint, found, place, context, ifRevision } = await this.admit(request, slug, id, 'cancel');
    const planned = await this.changes.cancel(place, ifRevision, context);
    if (planned === null) throw postNotFoundRejection(endpoint);
    if (!isRejection(planned)) {
      const cancelled = planned.events.reduce((sum, { data }) => sum + countIds(data), 0);
      await this.progress.waitFor(READ_MODELS_OF_POSTS, planned.position, READ_MODELS_MS);
      return new CancelledView(id, cancelled);
    }
    if (planned.rejection !== 'already_released') throw changeRejection(endpoint, planned);
    return new CancelledView(id, await this.cancelQueued(endpoint, found, context, ifRevision));
  }

  /** Checks a replacement payload against the rules for new posts. @throws GateRejection */
  async checkReplacement(endpoint: EndpointSnapshot, bytes: Buffer): Promise<Replacement> {
    const audience = audienceOf(endpoint, this.catalogue.ids);
    const post = await parsePost({ ok: true, bytes }, undefined, this.addresses, audience, this.clock.now());
    const checked = await this.content.check(endpoint, post, false);
    await this.content.check(endpoint, checked, true);
    return { ...this.content.findAcceptable(endpoint, checked, true)!, projects: endpoint.projects };
  }

  private async cancelQueued(
    endpoint: EndpointSnapshot,
    { post, publications }: EndpointPost,
    context: CommandContext,
    ifRevision: AdmittedChange['ifRevision'],
  ): Promise<number> {
    const refuse = (rejection: Rejection) => changeRejection(endpoint, rejection);
    if (ifRevision !== null && !ifRevision.includes(post.version))
      throw refuse(reject('revision_mismatch', CHANGE_MESSAGES.otherRevision({ revision: post.version })));
    if (publications.some(({ state }) => state === 'publishing'))
      throw refuse(reject('publishing', CHANGE_MESSAGES.publishing));
    const ids = publications.map(({ publication_id: publicationId, channel_id: channelId }) => ({
      publicationId,
      postId: post.post_id,
      channelId,
    }));
    const outcome = await this.cancelPublications.execute(context, ids);
    if (isRejection(outcome)) {
      if (outcome.rejection === 'publishing') throw refuse(outcome);
      return 0;
    }
    await this.progress.waitFor(READ_MODELS_OF_POSTS, outcome.position, READ_MODELS_MS);
    return outcome.cancelled;
  }

  private async admit(request: FastifyRequest, slug: string, id: string, useCase: string): Promise<AdmittedChange> {
    const isOfPublished = useCase === 'withdraw' || useCase === 'edit';
    const admitted = await this.gate.admit(request, slug, useCase === 'withdraw' ? 'withdrawals' : 'changes');
    const { endpoint } = admitted;
    if (isOfPublished && !endpoint.allow_changes) throw changesNotAllowedRejection(endpoint);
    const found = await requireEndpointPost(this.findEndpointPost, request, endpoint, id);
    const { post } = found;
    const origin = originOfRequest({ actor: endpointActor(endpoint.endpoint_id) }, request);
    const context = newCommandContext(origin, useCase, this.clock.now());
    const place = { postId: post.post_id, stream: post.stream, revision: post.revision };
    return { ...admitted, found, place, context, ifRevision: readIfMatch(request) };
  }

  private async answer(
    endpoint: EndpointSnapshot,
    reply: FastifyReply,
    result: PostChangeResult,
  ): Promise<ChangedPostView> {
    if (result === null) throw postNotFoundRejection(endpoint);
    if (isRejection(result)) throw changeRejection(endpoint, result);
    await this.progress.waitFor(READ_MODELS_OF_POSTS, result.position, READ_MODELS_MS);
    return showChange(reply, result);
  }
}

/** A client's change needs approval while the endpoint requires approval (D-64). */
const clientOf = (endpoint: EndpointSnapshot): ChangeAuthor => ({
  isManager: false,
  requiresApproval: endpoint.requires_approval,
});

/** Returns the view of a changed post, and sets its `ETag`. */
export const showChange = (reply: FastifyReply, changed: ChangedPost): ChangedPostView => {
  void reply.header('etag', `"${changed.state.revision}"`);
  return new ChangedPostView(changed);
};

const countIds = (data: object): number =>
  'publicationIds' in data ? (data.publicationIds as readonly string[]).length : 0;
