import { Injectable } from '@nestjs/common';
import { channel } from '../domain/channel/channel.decider.js';
import { endpoint } from '../domain/endpoint/endpoint.decider.js';
import type { EndpointCreated } from '../domain/endpoint/endpoint.events.js';
import { key } from '../domain/key/key.decider.js';
import { media } from '../domain/media/media.decider.js';
import type { MediaUploaded } from '../domain/media/media.events.js';
import { owner } from '../domain/owner/owner.decider.js';
import { project } from '../domain/project/project.decider.js';
import type { ProjectCreated } from '../domain/project/project.events.js';
import { publication } from '../domain/publication/publication.decider.js';
import { webhookOutput } from '../domain/webhook-output/webhook-output.decider.js';
import type { WebhookOutputCreated } from '../domain/webhook-output/webhook-output.events.js';
import { AggregateStore, type DecisionResult } from '../event-store/aggregate-store.js';
import type { CommandContext } from '../event-store/codec.js';
import type { Position } from '../event-store/port.js';
import type { Decider, DomainEvent } from '../kernel/events.js';
import { RESOURCE_MESSAGES } from '../kernel/messages.js';
import { isRejection, reject, type Rejection } from '../kernel/result.js';
import { References } from '../projections/discovery/references.queries.js';
import { ProjectionProgress } from '../projections/engine/progress.js';
import { MediaQueries } from '../projections/media/media.queries.js';
import type { FileRow } from '../projections/media/media.tables.js';
import { QueuedPublications, type ResourceId } from '../projections/publish-schedule/publish-schedule.queries.js';
import { inSlices } from '../runtime/cooperative-work.js';
import { type CommandOutcome, type Completed, latestCompleted, listCompleted } from './command.js';
import { COMMAND_MESSAGES } from './messages.js';
import { READ_MODELS_OF_POSTS } from './post/planned-posts.js';
import { PlannedCancellations } from './post/withdraw-posts.js';
import { rejectUnreadable } from './publication.js';

/**
 * Returns a rejection if an owner was deleted, else null. Reads the owner's stream, not a read model.
 * @throws Unavailable
 */
export const rejectDeletedOwner = async (
  aggregates: AggregateStore,
  ownerId: string,
): Promise<Rejection<'not_found'> | null> => {
  const { state } = await aggregates.loadAggregate(owner, ownerId);
  return state?.deleted ? reject('not_found', COMMAND_MESSAGES.ownerDeleted) : null;
};

/** Number of publications cancelled, or resources changed, at a time. */
const BATCH_SIZE = 200;
/** Read models that show what a deletion affects. */
const READ_MODELS = ['discovery', 'media', ...READ_MODELS_OF_POSTS];
/** How long the deleting request waits for the read models to show what the saga appended, in ms. */
const SHOW_TIMEOUT_MS = 10_000;

type NewProject = Pick<ProjectCreated['data'], 'projectId' | 'ownerId' | 'channelIds'>;
type NewEndpoint = Pick<EndpointCreated['data'], 'endpointId' | 'ownerId'> & {
  readonly projectIds: readonly string[];
};
type NewOutput = Pick<WebhookOutputCreated['data'], 'outputId' | 'ownerId' | 'projectId'>;

/** Thrown if the read models have not reached the deletion in time. The saga completes the deletion later. */
export class ReadModelsBehind extends Error {}

/**
 * Carries out the consequences of a resource's deletion, which has already been appended: removes the references to it
 * and cancels its planned and queued publications. The deleting request does so at once; the saga `complete-deletions`
 * repeats it, in case the process died before it finished. Every step depends on the current state, so it is safe to
 * repeat.
 *
 * All methods may throw Unavailable; those with a parameter `after`, the position of the deletion, also throw
 * ReadModelsBehind.
 */
@Injectable()
export class Deletions {
  constructor(
    private readonly aggregates: AggregateStore,
    private readonly references: References,
    private readonly queued: QueuedPublications,
    private readonly planned: PlannedCancellations,
    private readonly media: MediaQueries,
    private readonly progress: ProjectionProgress,
  ) {}

  /**
   * Completes a deletion within the request that caused it. If the read models are behind, the saga completes it later.
   * @param deleted the deletion; a rejection is returned unchanged
   */
  async completeNow(
    deleted: CommandOutcome,
    complete: (deleted: Completed) => Promise<Completed>,
  ): Promise<CommandOutcome> {
    if (isRejection(deleted)) return deleted;
    try {
      const completed = await complete(deleted);
      // The saga works on the same deletion, so the response must also wait for the events that the saga appended.
      await this.progress.waitUntilCaughtUp(READ_MODELS, this.aggregates.store, SHOW_TIMEOUT_MS);
      return latestCompleted([deleted, completed]);
    } catch (error) {
      if (error instanceof ReadModelsBehind) return deleted;
      throw error;
    }
  }

  /** Removes a deleted channel from the projects that refer to it, and cancels its queue. */
  async completeChannel(channelId: string, after: Position, context: CommandContext): Promise<Completed> {
    await this.waitForReadModels(after);
    const projectIds = await this.references.findProjectsNaming(channelId);
    const removed = await this.each(projectIds, context, `without/${channelId}`, (projectId, each) =>
      this.removeChannels(projectId, [channelId], each),
    );
    return latestCompleted([...removed, await this.cancelQueue({ channelId }, context)]);
  }

  /**
   * Removes a deleted project from the endpoints that refer to it, deletes its webhook outputs, and cancels its planned
   * and queued publications.
   */
  async completeProject(projectId: string, after: Position, context: CommandContext): Promise<Completed> {
    await this.waitForReadModels(after);
    const endpointIds = await this.references.findEndpointsNaming(projectId);
    const removed = await this.each(endpointIds, context, `without/${projectId}`, (endpointId, each) =>
      this.removeProjects(endpointId, [projectId], each),
    );
    const outputs = await this.deleteOutputs(await this.references.findOutputsOf(projectId), context);
    return latestCompleted([...removed, ...outputs, await this.cancelQueue({ projectId }, context)]);
  }

  /** Cancels the planned and queued publications of a deleted endpoint's posts. */
  async completeEndpoint(endpointId: string, after: Position, context: CommandContext): Promise<Completed> {
    await this.waitForReadModels(after);
    return this.cancelQueue({ endpointId }, context);
  }

  /** Deletes everything that belongs to a deleted owner, and cancels its planned and queued publications. */
  async completeOwner(ownerId: string, after: Position, context: CommandContext): Promise<Completed> {
    await this.waitForReadModels(after);
    const owned = await this.references.findOwned(ownerId);
    // Endpoints are deleted first, so that no new posts arrive, and channels before projects, so that nothing is sent
    // in the meantime.
    const deleted = [
      ...(await this.deleteEndpoints(owned.endpoints, context)),
      ...(await this.deleteChannels(owned.channels, context)),
      ...(await this.deleteProjects(owned.projects, context)),
      ...(await this.deleteOutputs(owned.outputs, context)),
      ...(await this.revokeKeys(owned.keys, context)),
      ...(await this.deleteFiles(ownerId, context)),
    ];
    return latestCompleted([...deleted, await this.cancelQueue({ ownerId }, context)]);
  }

  /** Deletes a newly uploaded file if its owner was deleted in the meantime. */
  async verifyNewMedia(
    { mediaId, ownerId }: Pick<MediaUploaded['data'], 'mediaId' | 'ownerId'>,
    context: CommandContext,
  ) {
    if (await rejectDeletedOwner(this.aggregates, ownerId)) await this.eraseFiles([mediaId], context);
  }

  /** Deletes a newly created webhook output if its owner or project was deleted in the meantime. */
  async verifyNewOutput(
    { outputId, ownerId, projectId }: NewOutput,
    context: CommandContext,
  ): Promise<Rejection<'not_found'> | null> {
    const [deletedProject] = await filterDeleted(this.aggregates, project, [projectId]);
    const rejection =
      (await rejectDeletedOwner(this.aggregates, ownerId)) ??
      (deletedProject === undefined ? null : reject('not_found', RESOURCE_MESSAGES.notFound({ what: 'project' })));
    if (rejection) await this.deleteOutputs([outputId], context);
    return rejection;
  }

  /** Deletes a newly created channel if its owner was deleted in the meantime. @returns null if the channel is kept */
  async verifyNewChannel(
    { channelId, ownerId }: { readonly channelId: string; readonly ownerId: string },
    context: CommandContext,
  ): Promise<Rejection<'not_found'> | null> {
    const rejection = await rejectDeletedOwner(this.aggregates, ownerId);
    if (rejection) await this.deleteChannels([channelId], context);
    return rejection;
  }

  /**
   * Deletes a newly created project if its owner was deleted in the meantime. Otherwise removes deleted channels from
   * the project.
   */
  async verifyNewProject(
    { projectId, ownerId, channelIds }: NewProject,
    context: CommandContext,
  ): Promise<Completed | Rejection<'not_found'>> {
    const rejection = await rejectDeletedOwner(this.aggregates, ownerId);
    if (!rejection) return this.dropDeletedChannels(projectId, channelIds, context);
    await this.deleteProjects([projectId], context);
    return rejection;
  }

  /**
   * Deletes a newly created endpoint if its owner was deleted in the meantime. Otherwise removes deleted projects from
   * the endpoint.
   */
  async verifyNewEndpoint(
    { endpointId, ownerId, projectIds }: NewEndpoint,
    context: CommandContext,
  ): Promise<Completed | Rejection<'not_found'>> {
    const rejection = await rejectDeletedOwner(this.aggregates, ownerId);
    if (!rejection) return this.dropDeletedProjects(endpointId, projectIds, context);
    await this.deleteEndpoints([endpointId], context);
    return rejection;
  }

  /** Removes deleted channels from a project. Reads the channels' streams, not a read model. */
  async dropDeletedChannels(
    projectId: string,
    channelIds: readonly string[],
    context: CommandContext,
  ): Promise<Completed> {
    const deleted = await filterDeleted(this.aggregates, channel, channelIds);
    if (deleted.length === 0) return NOTHING;
    return latestCompleted(
      await this.each([projectId], context, 'drop', (_, each) => this.removeChannels(projectId, deleted, each)),
    );
  }

  /** Removes deleted projects from an endpoint. */
  async dropDeletedProjects(
    endpointId: string,
    projectIds: readonly string[],
    context: CommandContext,
  ): Promise<Completed> {
    const deleted = await filterDeleted(this.aggregates, project, projectIds);
    if (deleted.length === 0) return NOTHING;
    return latestCompleted(
      await this.each([endpointId], context, 'drop', (_, each) => this.removeProjects(endpointId, deleted, each)),
    );
  }

  private deleteEndpoints(endpointIds: readonly string[], context: CommandContext): Promise<Completed[]> {
    return this.each(endpointIds, context, 'delete', (endpointId, each) =>
      this.aggregates.execute(endpoint, endpointId, { type: 'DeleteEndpoint', endpointId }, each),
    );
  }

  private deleteChannels(channelIds: readonly string[], context: CommandContext): Promise<Completed[]> {
    return this.each(channelIds, context, 'delete', (channelId, each) =>
      this.aggregates.execute(channel, channelId, { type: 'DeleteChannel', channelId }, each),
    );
  }

  private deleteProjects(projectIds: readonly string[], context: CommandContext): Promise<Completed[]> {
    return this.each(projectIds, context, 'delete', (projectId, each) =>
      this.aggregates.execute(project, projectId, { type: 'DeleteProject', projectId }, each),
    );
  }

  private deleteOutputs(outputIds: readonly string[], context: CommandContext): Promise<Completed[]> {
    return this.each(outputIds, context, 'delete', (outputId, each) =>
      this.aggregates.execute(webhookOutput, outputId, { type: 'DeleteOutput', outputId }, each),
    );
  }

  private revokeKeys(keyIds: readonly string[], context: CommandContext): Promise<Completed[]> {
    return this.each(keyIds, context, 'revoke', (keyId, each) =>
      this.aggregates.execute(key, keyId, { type: 'RevokeKey', keyId }, each),
    );
  }

  /** Deletes all files of an owner, a part of its list at a time. */
  private async deleteFiles(ownerId: string, context: CommandContext): Promise<Completed[]> {
    const deleted: Completed[] = [];
    for (let before: { at: number; id: string } | null = null; ;) {
      const rows: FileRow[] = await this.media.list({ ownerId, type: null, before, limit: BATCH_SIZE });
      const ids = rows.map(({ media_id }) => media_id);
      deleted.push(...(await this.eraseFiles(ids, context)));
      const last = rows.at(-1);
      if (!last || rows.length < BATCH_SIZE) return deleted;
      before = { at: last.created_at, id: last.media_id };
    }
  }

  private eraseFiles(mediaIds: readonly string[], context: CommandContext): Promise<Completed[]> {
    return this.each(mediaIds, context, 'delete', (mediaId, each) =>
      this.aggregates.execute(media, mediaId, { type: 'DeleteMedia', mediaId, reason: 'owner_deleted' }, each),
    );
  }

  private removeChannels(projectId: string, channelIds: readonly string[], context: CommandContext) {
    const command = { type: 'RemoveChannels', projectId, channelIds } as const;
    return this.aggregates.execute(project, projectId, command, context);
  }

  private removeProjects(endpointId: string, projectIds: readonly string[], context: CommandContext) {
    const command = { type: 'RemoveProjects', endpointId, projectIds } as const;
    return this.aggregates.execute(endpoint, endpointId, command, context);
  }

  /** Executes a command on each resource. Deleted resources reject the command and need no change. */
  private async each<S, E extends DomainEvent>(
    ids: readonly string[],
    context: CommandContext,
    step: string,
    execute: (id: string, context: CommandContext) => Promise<DecisionResult<S, E> | Rejection>,
  ): Promise<Completed[]> {
    const results = await inSlices(ids, BATCH_SIZE, (id) =>
      execute(id, { ...context, commandId: `${context.commandId}/${step}` }),
    );
    return listCompleted(results);
  }

  /**
   * Cancels planned, then queued publications, a batch at a time. Leaves to the worker any publications that have just
   * been started or whose events are damaged.
   */
  private async cancelQueue(of: ResourceId, context: CommandContext): Promise<Completed> {
    let last = await this.planned.cancelAll(of, context);
    // A post released in the meantime is queued by now.
    await this.waitForReadModels(last.position);
    for (;;) {
      const batch = await this.queued.findQueued(of, BATCH_SIZE);
      const results = await Promise.all(
        batch.map((ids) => {
          const command = { type: 'CancelPublication', ...ids, at: context.at } as const;
          const each = { ...context, commandId: `${context.commandId}/cancel` };
          return rejectUnreadable(() => this.aggregates.execute(publication, ids.publicationId, command, each));
        }),
      );
      const cancelled = listCompleted(results);
      // If nothing was cancelled, the read model is behind the streams: workers have already started or finished these
      // publications, or their events are damaged.
      if (cancelled.length === 0) return last;
      last = latestCompleted([last, ...cancelled]);
      if (batch.length < BATCH_SIZE) return last;
      await this.waitForReadModels(last.position);
    }
  }

  private async waitForReadModels(position: Position): Promise<void> {
    if (!(await this.progress.waitFor(READ_MODELS, position)))
      throw new ReadModelsBehind(`the read models have not reached position ${position}`);
  }
}

const NOTHING: Completed = { position: -1n };

/** Returns the ids that belong to deleted resources. */
const filterDeleted = async <S extends { readonly deleted: boolean } | null, E extends DomainEvent>(
  aggregates: AggregateStore,
  decider: Decider<never, S, E, string>,
  ids: readonly string[],
): Promise<string[]> => {
  const loaded = await Promise.all(ids.map((id) => aggregates.loadAggregate(decider, id)));
  return ids.filter((_, i) => loaded[i]!.state?.deleted);
};

/** Returns a rejection if other resources refer to the resource to delete, else null. `figures` holds their ids. */
export const rejectInUse = (
  kind: 'channel' | 'project',
  list: 'project_ids' | 'endpoint_ids',
  naming: readonly string[],
): Rejection<'in_use'> | null => {
  if (naming.length === 0) return null;
  const others = `${list === 'project_ids' ? 'project' : 'endpoint'}${naming.length === 1 ? '' : 's'}`;
  const message = COMMAND_MESSAGES.inUse({ what: kind, others: `${others} ${naming.join(', ')}` });
  return reject('in_use', message, { [list]: naming });
};
