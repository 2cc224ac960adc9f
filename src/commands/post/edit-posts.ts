import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { channel } from '../../domain/channel/channel.decider.js';
import { EDIT_MESSAGES, PLANNED_POST_MESSAGES, POST_CHANGE_MESSAGES } from '../../domain/messages.js';
import { type ChangeAuthor, type PlannedPost, refuseRevision } from '../../domain/post/planned-post.js';
import type { Processing } from '../../domain/project/processing.js';
import { project } from '../../domain/project/project.decider.js';
import {
  publication,
  type PublicationCommand,
  type PublicationState,
} from '../../domain/publication/publication.decider.js';
import type { PublicationError, Sender } from '../../domain/publication/publication.events.js';
import { AggregateStore } from '../../event-store/aggregate-store.js';
import type { CommandContext } from '../../event-store/codec.js';
import { isRejection, reject, type Rejection } from '../../kernel/result.js';
import { contentFor, OVERRIDE_FIELDS, type Overrides } from '../../payload/overrides.js';
import type { PublishPayload } from '../../payload/payload.js';
import { PostStories } from '../../projections/posts/post-details.queries.js';
import { nullIfErased, PostPayloads } from '../../projections/posts/post-payloads.js';
import { inSlices, RESTS_PER_SLICE } from '../../runtime/cooperative-work.js';
import { LocatedPosts } from '../../uploads/located-posts.js';
import { type Completed, latestCompleted } from '../command.js';
import { rejectUnreadable } from '../publication.js';
import { PlannedPosts, type PostPlace } from './planned-posts.js';
import { type PostChange, PostChanges } from './post-changes.js';
import type { WithdrawnTarget } from './withdraw-posts.js';

/** A publication that may be edited. */
export type EditedTarget = WithdrawnTarget & {
  /** The project whose processing applies (D-27). */
  readonly projectId: string;
};

/** New content of a post; what it lacks is removed. */
export type EditedContent = Pick<PublishPayload, (typeof OVERRIDE_FIELDS)[number]> & { readonly overrides?: Overrides };

/** Published messages, and what they are to show. */
export interface EditableMessages {
  readonly target: EditedTarget;
  readonly shown: { readonly payload: PublishPayload; readonly processing: Processing };
  readonly next: { readonly payload: PublishPayload; readonly processing: Processing };
  /** Revision of the project whose processing `next` has. */
  readonly projectRevision: string;
  readonly messageIds: readonly string[];
  readonly results: PublicationState['results'];
  readonly sender: Sender | null;
  /** Null if the channel was deleted. */
  readonly channel: {
    readonly address: Readonly<Record<string, string>>;
    readonly settings: Readonly<Record<string, unknown>>;
  } | null;
}

/**
 * Finds out which messages cannot hold the new content. It renders, which is not for use cases.
 * @returns the reasons by publication id
 */
export type FindRefusals = (messages: readonly EditableMessages[]) => Promise<ReadonlyMap<string, PublicationError>>;

/** What an edit did, or would do. */
export type EditedPost = Completed & {
  readonly state: PlannedPost['status'];
  readonly revision: number;
  /** Publications that go to the new content, by id: null, or why they cannot. */
  readonly targets: ReadonlyMap<string, PublicationError | null>;
};

/** Rejections of a planned post that has changed since it was read. */
const OUTDATED: ReadonlySet<string> = new Set(['revision_mismatch', 'already_released']);

/** Number of publications at a time; a post may have thousands. */
const AT_ONCE = 10;

/**
 * Gives posts new content (D-72). One append takes the whole request, `PostEdited`. Then each publication's own stream
 * gets it, before the answer, and once more by the saga `apply-changes` in case this process dies. The content of a
 * planned post is simply replaced.
 */
@Injectable()
export class EditPosts {
  constructor(
    private readonly aggregates: AggregateStore,
    private readonly planned: PlannedPosts,
    private readonly changes: PostChanges,
    private readonly payloads: PostPayloads,
    private readonly located: LocatedPosts,
    private readonly stories: PostStories,
  ) {}

  /**
   * @param targets all publications of the post
   * @param findRefusals asked before anything happens; if no target can take the content, nothing does
   * @param isDryRun true to change nothing
   * @returns null if there is no such post
   * @throws Unavailable; repeating is safe
   */
  async edit(
    place: PostPlace,
    targets: readonly EditedTarget[],
    content: EditedContent,
    { author, ifRevision }: PostChange,
    findRefusals: FindRefusals,
    context: CommandContext,
    isDryRun: boolean,
  ): Promise<EditedPost | Rejection | null> {
    const loaded = await this.planned.load(place);
    if (!loaded) return null;
    const { state } = loaded;
    const mismatch = refuseRevision({ ifRevision }, state);
    if (mismatch) return mismatch;
    if (state.status === 'ended') return reject('post_ended', PLANNED_POST_MESSAGES.ended);
    const known = await this.payloads.readPost(place.stream, String(state.contentRevision)).catch(nullIfErased);
    if (!known) return reject('content_erased', POST_CHANGE_MESSAGES.contentErased);
    const { payload: current } = known;
    const payload = replaceContent(current, content);
    const { trace_id: traceId = null } = payload;
    const isSame = isDeepStrictEqual(current, payload);
    const revision = isSame ? state.revision : state.revision + 1;
    if (state.status === 'planned') {
      const planned = { payload, revision, isUnchanged: isSame || isDryRun };
      const replaced = await this.replacePlanned(place, state, planned, author, context);
      if (!isRejection(replaced) || !OUTDATED.has(replaced.rejection)) return replaced;
      return this.edit(place, targets, content, { author, ifRevision }, findRefusals, context, isDryRun);
    }
    if (!author.isManager && author.requiresApproval)
      return reject('approval_required', POST_CHANGE_MESSAGES.approvalRequired);

    const cancelled = new Set(state.cancelledIds);
    const released = targets.filter(({ publicationId }) => !cancelled.has(publicationId));
    const states = await inSlices(released, AT_ONCE, (target) => this.load(target), RESTS_PER_SLICE);
    const live = released.flatMap((target, i) => (isLive(states[i]!) ? [{ target, shown: states[i]! }] : []));
    if (live.length === 0) return reject('post_ended', POST_CHANGE_MESSAGES.nothingToEdit);
    const wanted = isSame ? live.filter(({ shown }) => shown.edit?.status === 'failed') : live;
    const published = wanted.filter(({ shown }) => shown.hasSucceeded);
    const located = await this.located.locate(payload);
    const editable = await this.describe(place, state, published, located).catch(nullIfErased);
    if (!editable) return reject('content_erased', POST_CHANGE_MESSAGES.contentErased);
    const refusals = await findRefusals(editable);
    const outcome = new Map(wanted.map(({ target: { publicationId: id } }) => [id, refusals.get(id) ?? null]));
    if (wanted.length > 0 && refusals.size === wanted.length) {
      const figures = wanted.map(({ target: { channelId, publicationId } }) => {
        const { code, message } = refusals.get(publicationId)!;
        return [channelId, [code, message]] as const;
      });
      return reject('not_editable', POST_CHANGE_MESSAGES.notEditable, Object.fromEntries(figures));
    }
    const answer = { state: state.status, revision, targets: outcome };
    if (isDryRun || (isSame && wanted.length === 0)) return { ...answer, position: -1n };
    const edited = isSame
      ? { state, position: -1n }
      : await this.changes.executeWithPayload(
          place,
          payload,
          (kept) => ({ type: 'EditPost', at: context.at, content: { traceId, ...kept }, ifRevision }),
          { ...context, contentOwner: state.ownerId },
        );
    if (edited === null || isRejection(edited)) return edited;
    const { revision: appended, contentRevision, releasedRevision } = edited.state;
    const request = {
      requestedAt: context.at,
      by: context.actor,
      content: { revision: appended, streamRevision: contentRevision },
      releasedRevision: releasedRevision!,
    };
    const done = await this.editEach(
      wanted.map(({ target }) => target),
      request,
      outcome,
      context,
    );
    return { ...answer, revision: appended, ...latestCompleted([edited, done]) };
  }

  /** Gives each publication of a released post its newest content. Safe to repeat. */
  async editEach(
    targets: readonly EditedTarget[],
    request: Pick<EditPublication, 'requestedAt' | 'by' | 'content' | 'releasedRevision'>,
    refusals: EditedPost['targets'],
    context: CommandContext,
  ): Promise<Completed> {
    const postId = targets[0]?.postId;
    if (postId === undefined) return { position: -1n };
    const inStory = await this.stories.joinStory(context, postId);
    const editOne = async ({ projectId: _, ...target }: EditedTarget): Promise<Completed> => {
      const refusal = refusals.get(target.publicationId) ?? null;
      const command: EditPublication = { type: 'EditPublication', ...target, ...request, refusal, at: context.at };
      const result = await rejectUnreadable(() =>
        this.aggregates.execute(publication, target.publicationId, command, inStory),
      );
      return isRejection(result) ? { position: -1n } : { position: result.aggregate.position };
    };
    return latestCompleted(await inSlices(targets, AT_ONCE, editOne, RESTS_PER_SLICE));
  }

  /**
   * Describes messages whose content may change.
   * @param post the place of the content that the post was released with
   */
  describe(
    { stream }: Pick<PostPlace, 'stream'>,
    { releasedRevision }: Pick<PlannedPost, 'releasedRevision'>,
    published: readonly { readonly target: EditedTarget; readonly shown: PublicationState }[],
    payload: PublishPayload,
  ): Promise<readonly EditableMessages[]> {
    // A post may have thousands of targets, but their projects and contents are few.
    const read = once((revision: string) => this.located.readPost(stream, revision).then((post) => post.payload));
    const loadProject = once((id: string) => this.aggregates.loadAggregate(project, id));
    const loadProjectAt = once((at: string) => {
      const [id = '', revision = '0'] = at.split('@');
      return this.aggregates.loadAggregateAt(project, id, BigInt(revision));
    });
    return inSlices(published, AT_ONCE, async ({ target, shown }) => {
      const { channelId, platform, projectId } = target;
      const [before, connected, now, then] = await Promise.all([
        read(String(shown.content?.streamRevision ?? releasedRevision)),
        this.aggregates.loadAggregate(channel, channelId),
        loadProject(projectId),
        shown.projectRevision === null ? null : loadProjectAt(`${projectId}@${shown.projectRevision}`),
      ]);
      const { messageIds, results, sender } = shown;
      const isDeleted = !connected.state || connected.state.deleted;
      return {
        target,
        shown: { payload: contentFor(before, { channelId, platform }), processing: processingOf(then ?? now) },
        next: { payload: contentFor(payload, { channelId, platform }), processing: processingOf(now) },
        projectRevision: String(now.revision),
        messageIds,
        results,
        sender,
        channel: isDeleted ? null : { address: connected.state.address, settings: { ...connected.state.settings } },
      };
    });
  }

  private async replacePlanned(
    place: PostPlace,
    { targets, publishAt, status, ownerId, revision: before }: PlannedPost,
    { payload, revision, isUnchanged }: { payload: PublishPayload; revision: number; isUnchanged: boolean },
    author: ChangeAuthor,
    context: CommandContext,
  ): Promise<EditedPost | Rejection | null> {
    const outcome = new Map(targets.map(({ publicationId }) => [publicationId, null]));
    if (isUnchanged) return { state: status, revision, targets: outcome, position: -1n };
    const { trace_id: traceId = null } = payload;
    const replaced = await this.changes.executeWithPayload(
      place,
      payload,
      (kept) => ({
        type: 'RevisePost',
        at: context.at,
        content: { traceId, targets, publishAt, ...kept },
        author,
        ifRevision: [before],
      }),
      { ...context, contentOwner: ownerId },
    );
    if (replaced === null || isRejection(replaced)) return replaced;
    const { state, position } = replaced;
    return { state: state.status, revision: state.revision, targets: outcome, position };
  }

  /** @returns a publication that is in doubt for ever if its events are damaged */
  private async load({ publicationId }: EditedTarget): Promise<PublicationState> {
    const loaded = await rejectUnreadable(() => this.aggregates.loadAggregate(publication, publicationId));
    return isRejection(loaded) ? { ...publication.initial, status: 'dismissed' } : loaded.state;
  }
}

/** Wraps a function so that it is called once for each argument. */
const once = <V>(load: (key: string) => Promise<V>): ((key: string) => Promise<V>) => {
  const loads = new Map<string, Promise<V>>();
  return (key) => {
    const loading = loads.get(key) ?? load(key);
    loads.set(key, loading);
    return loading;
  };
};

/**
 * Returns why messages cannot be edited, whatever the content is; null if there is no reason.
 * @param chat the channel's chat now
 */
export const reasonAgainstEdit = (
  { sender }: Pick<PublicationState, 'sender'>,
  isDeleted: boolean,
  chat: Readonly<Record<string, string>>,
): PublicationError | null => {
  const refuse = (code: string, message: string) => ({ code, category: 'channel', source: 'gateway', message });
  if (isDeleted) return refuse('channel_deleted', EDIT_MESSAGES.channelDeleted);
  // In another chat, the number of a message belongs to someone else's (D-70).
  const isElsewhere = sender !== null && !isDeepStrictEqual(sender.chat, chat);
  return isElsewhere ? refuse('chat_changed', EDIT_MESSAGES.chatChanged) : null;
};

type EditPublication = Extract<PublicationCommand, { type: 'EditPublication' }>;

/** True if readers see the publication, or will. */
const isLive = ({ status, hasSucceeded }: PublicationState): boolean =>
  status === 'withdraw_failed'
    ? hasSucceeded
    : status !== 'filtered' && status !== 'dismissed' && status !== 'withdrawing' && status !== 'withdrawn';

const processingOf = ({ state }: { readonly state: { readonly processing: unknown } | null }): Processing =>
  state?.processing ?? {};

const replaceContent = (current: PublishPayload, content: EditedContent): PublishPayload => {
  const kept = Object.entries(current).filter(([field]) => !CONTENT.has(field));
  const given = Object.entries(content).filter(([, value]) => value !== undefined);
  return Object.fromEntries([...kept, ...given]);
};

const CONTENT: ReadonlySet<string> = new Set([...OVERRIDE_FIELDS, 'overrides']);
