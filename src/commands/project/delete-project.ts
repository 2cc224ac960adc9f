import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { project } from '../../domain/project/project.decider.js';
import { AggregateStore } from '../../event-store/aggregate-store.js';
import type { CommandContext } from '../../event-store/codec.js';
import { References } from '../../projections/discovery/references.queries.js';
import { ProjectionProgress } from '../../projections/engine/progress.js';
import { type CommandOutcome, toOutcome } from '../command-result.js';
import { Deletions } from '../deletion/deletions.js';
import { rejectInUse } from '../deletion/reject-in-use.js';
import { rejectForeign } from '../reject-foreign.js';

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
