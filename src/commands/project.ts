import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
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

/** Changes a project's name, channels or processing; undefined fields are unchanged. */
export class ChangeProject extends Command<CommandOutcome> {
  constructor(
    readonly context: CommandContext,
    readonly projectId: string,
    readonly change: {
      readonly name?: string;
      readonly channelIds?: readonly string[];
      readonly processing?: UnsealedProcessing;
    },
  ) {
    super();
  }
}

@CommandHandler(ChangeProject)
export class ChangeProjectHandler implements ICommandHandler<ChangeProject> {
  constructor(
    private readonly aggregates: AggregateStore,
    private readonly vault: SecretVault,
    private readonly findMissingIds: FindMissingIds,
    private readonly deletions: Deletions,
  ) {}

  async execute({
    context,
    projectId,
    change: { name, channelIds, processing: unsealed },
  }: ChangeProject): Promise<CommandOutcome> {
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

/** Creates a project for an owner, within its plan's cap (D-67). */
export class CreateProject extends Command<CommandOutcome> {
  constructor(
    readonly context: CommandContext,
    readonly project: Omit<ProjectCreated['data'], 'processing'> & { readonly processing: UnsealedProcessing },
  ) {
    super();
  }
}

@CommandHandler(CreateProject)
export class CreateProjectHandler implements ICommandHandler<CreateProject> {
  constructor(
    private readonly aggregates: AggregateStore,
    private readonly vault: SecretVault,
    private readonly findMissingIds: FindMissingIds,
    private readonly deletions: Deletions,
    private readonly capped: CappedCreation,
  ) {}

  async execute(command: CreateProject): Promise<CommandOutcome> {
    const { ownerId, projectId: id, channelIds } = command.project;
    const missing = await this.findMissingIds.execute('channel', ownerId, channelIds);
    if (missing.length > 0) return rejectUnknownIds('channel_ids', missing);
    const rejection = await rejectDeletedOwner(this.aggregates, ownerId);
    if (rejection) return rejection;
    return this.capped.createWithinCap({ projects: ownerId }, { ownerId, id }, () => this.create(command));
  }

  private async create({
    context,
    project: { processing: unsealed, ...rest },
  }: CreateProject): Promise<CommandOutcome> {
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
 */
export class DeleteProject extends Command<CommandOutcome> {
  constructor(
    readonly context: CommandContext,
    readonly projectId: string,
    /** If true, removes the project from the endpoints that refer to it; if false, rejects with `in_use` if any do. */
    readonly cascade: boolean,
  ) {
    super();
  }
}

/** Appends the deletion first. The cleanup follows here or, after a crash, in the saga `complete-deletions`. */
@CommandHandler(DeleteProject)
export class DeleteProjectHandler implements ICommandHandler<DeleteProject> {
  constructor(
    private readonly aggregates: AggregateStore,
    private readonly deletions: Deletions,
    private readonly references: References,
    private readonly progress: ProjectionProgress,
  ) {}

  async execute({ context, projectId, cascade }: DeleteProject): Promise<CommandOutcome> {
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
