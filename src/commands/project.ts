import { Injectable } from '@nestjs/common';
import type { Processing, Translation } from '../domain/project/processing.js';
import { project } from '../domain/project/project.decider.js';
import type { ProjectCreated } from '../domain/project/project.events.js';
import { AggregateStore } from '../event-store/aggregate-store.js';
import type { CommandContext } from '../event-store/codec.js';
import { streamOf } from '../kernel/events.js';
import { deriveUuid, type JsonObject } from '../kernel/ids.js';
import { RESOURCE_MESSAGES } from '../kernel/messages.js';
import { isRejection, reject } from '../kernel/result.js';
import { FindMissingIds } from '../projections/discovery/discovery.queries.js';
import { References } from '../projections/discovery/references.queries.js';
import { ProjectionProgress } from '../projections/engine/progress.js';
import { SecretVault } from '../secrets/vault.js';
import { type CommandOutcome, latestCompleted, rejectForeign, rejectUnknownIds, toOutcome } from './command.js';
import { Deletions, rejectDeletedOwner, rejectInUse } from './deletion.js';
import { CappedCreation } from './plan-limits.js';

/** Processing as the client sent it, with the translation service's API key in the clear. */
export interface UnsealedProcessing {
  readonly processing: Processing;
  /** API key of the translation service; null removes it; undefined keeps the key stored for the same URL. */
  readonly translationKey?: string | null;
}

/** Returns the id of the API key that is stored for this URL. It is used if the client sends none. */
export const findKeptKeyId = ({ url }: Translation, current: Processing): string | undefined =>
  current.translation?.url === url ? current.translation.api_key_id : undefined;

/**
 * Returns processing as stored in events: it contains only the id of the translation key, which is encrypted in the
 * vault.
 */
export const sealProcessing = async (
  vault: SecretVault,
  { processing, translationKey }: UnsealedProcessing,
  current: Processing,
  projectId: string,
  { commandId }: CommandContext,
): Promise<JsonObject> => {
  const { translation, ...rest } = processing;
  if (!translation) return asJson(rest);
  const keyId =
    typeof translationKey === 'string'
      ? await vault.storeSecret(
          { api_key: translationKey },
          streamOf(project, projectId),
          deriveUuid(`${commandId}/translation-key`),
        )
      : translationKey === undefined
        ? findKeptKeyId(translation, current)
        : undefined;
  return asJson({ ...rest, translation: keyId === undefined ? translation : { ...translation, api_key_id: keyId } });
};

const asJson = (processing: Processing): JsonObject => processing as unknown as JsonObject;

/** Fields to change; undefined fields stay unchanged. */
export interface ProjectChange {
  readonly name?: string;
  readonly channelIds?: readonly string[];
  readonly processing?: UnsealedProcessing;
}

/** Changes a project's name, channels or processing; undefined fields are unchanged. */
@Injectable()
export class ChangeProject {
  constructor(
    private readonly aggregates: AggregateStore,
    private readonly vault: SecretVault,
    private readonly findMissingIds: FindMissingIds,
    private readonly deletions: Deletions,
  ) {}

  async execute(
    context: CommandContext,
    projectId: string,
    { name, channelIds, processing: unsealed }: ProjectChange,
  ): Promise<CommandOutcome> {
    const { state } = await this.aggregates.loadAggregate(project, projectId);
    if (!state) return reject('not_found', RESOURCE_MESSAGES.notFound({ what: 'project' }));
    const missing = channelIds ? await this.findMissingIds.execute('channel', state.ownerId, channelIds) : [];
    if (missing.length > 0) return rejectUnknownIds('channel_ids', missing);
    // The cast is safe: events hold only processing that the management API has validated.
    const current = state.processing as unknown as Processing;
    const processing = unsealed && (await sealProcessing(this.vault, unsealed, current, projectId, context));
    const command = { type: 'ChangeProject', projectId, name, channelIds, processing } as const;
    const changed = toOutcome(await this.aggregates.execute(project, projectId, command, context));
    if (isRejection(changed) || !channelIds) return changed;
    return latestCompleted([changed, await this.deletions.dropDeletedChannels(projectId, channelIds, context)]);
  }
}

/** A project to create. */
export type NewProject = Omit<ProjectCreated['data'], 'processing'> & { readonly processing: UnsealedProcessing };

/** Creates a project for an owner, within its plan's cap (D-67). */
@Injectable()
export class CreateProject {
  constructor(
    private readonly aggregates: AggregateStore,
    private readonly vault: SecretVault,
    private readonly findMissingIds: FindMissingIds,
    private readonly deletions: Deletions,
    private readonly capped: CappedCreation,
  ) {}

  async execute(context: CommandContext, project: NewProject): Promise<CommandOutcome> {
    const { ownerId, projectId: id, channelIds } = project;
    const missing = await this.findMissingIds.execute('channel', ownerId, channelIds);
    if (missing.length > 0) return rejectUnknownIds('channel_ids', missing);
    const rejection = await rejectDeletedOwner(this.aggregates, ownerId);
    if (rejection) return rejection;
    return this.capped.createWithinCap({ projects: ownerId }, { ownerId, id }, () => this.create(context, project));
  }

  private async create(
    context: CommandContext,
    { processing: unsealed, ...rest }: NewProject,
  ): Promise<CommandOutcome> {
    const processing = await sealProcessing(this.vault, unsealed, {}, rest.projectId, context);
    const command = { type: 'CreateProject', ...rest, processing } as const;
    const created = toOutcome(await this.aggregates.execute(project, rest.projectId, command, context));
    if (isRejection(created)) return created;
    const verified = await this.deletions.verifyNewProject(rest, context);
    return isRejection(verified) ? verified : latestCompleted([created, verified]);
  }
}

/**
 * Deletes a project: it disappears from every view, its planned and queued publications are cancelled, its webhook
 * outputs are deleted, and its secrets are erased (D-56).
 *
 * Appends the deletion first. The cleanup follows here or, after a crash, in the saga `complete-deletions`.
 */
@Injectable()
export class DeleteProject {
  constructor(
    private readonly aggregates: AggregateStore,
    private readonly deletions: Deletions,
    private readonly references: References,
    private readonly progress: ProjectionProgress,
  ) {}

  /** @param cascade if true, removes the project from the endpoints that refer to it; if false, rejects with `in_use` if any do */
  async execute(context: CommandContext, projectId: string, cascade: boolean): Promise<CommandOutcome> {
    const rejection =
      (await rejectForeign(this.aggregates, project, [projectId], context)) ??
      (cascade ? null : await this.rejectInUse(projectId));
    if (rejection) return rejection;
    const command = { type: 'DeleteProject', projectId } as const;
    const deleted = toOutcome(await this.aggregates.execute(project, projectId, command, context));
    return this.deletions.completeNow(deleted, ({ position }) =>
      this.deletions.completeProject(projectId, position, context),
    );
  }

  /** A reference added after this check is removed later: see `Deletions`. */
  private async rejectInUse(projectId: string) {
    await this.progress.waitUntilCaughtUp(['discovery'], this.aggregates.store);
    return rejectInUse('project', 'endpoint_ids', await this.references.findEndpointsNaming(projectId));
  }
}
