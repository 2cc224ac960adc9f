import { Controller, Get, Inject, Post, Req, UseGuards } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { FastifyRequest } from 'fastify';
import { READ_MODELS_OF_POSTS } from '../../../commands/post/read-models.js';
import { ConfirmRecovery } from '../../../commands/recovery/confirm-recovery.js';
import { EVENT_STORE, type EventStore } from '../../../event-store/port.js';
import { isRejection } from '../../../kernel/result.js';
import { FindResource } from '../../../projections/discovery/discovery.queries.js';
import { ProjectionProgress } from '../../../projections/engine/progress.js';
import { CountHeld } from '../../../projections/publish-schedule/held-counts.queries.js';
import { Documented } from '../../documentation/documented.js';
import { fieldsReader, readQuery } from '../../transport/fields.js';
import { ApiKeyGuard } from '../api-key.guard.js';
import { getListScope } from '../caller.js';
import { ChangePipeline } from '../change-pipeline.js';
import { OwnerQuery } from '../owner.query.js';
import { type Call, TheCall } from '../resource-call.js';
import { requireOwner } from '../resource-owner.js';
import { ConfirmRecoveryBody } from './recovery.bodies.js';
import { RecoveryView, SettledView } from './recovery.view.js';

/** Shows what is held because events were lost, and settles it (D-80). */
@Controller('manage/v1/recovery')
@UseGuards(ApiKeyGuard)
export class RecoveryController {
  constructor(
    @Inject(EVENT_STORE) private readonly store: EventStore,
    private readonly countHeld: CountHeld,
    private readonly progress: ProjectionProgress,
    private readonly changes: ChangePipeline,
    private readonly commands: CommandBus,
    private readonly findResource: FindResource,
  ) {}

  @Documented({
    summary: 'Show what is held after a restore',
    query: OwnerQuery,
    codes: { 404: ['not_found'] },
  })
  @Get()
  async show(@Req() request: FastifyRequest): Promise<RecoveryView> {
    const ownerId = getListScope(request, readQuery(request, OwnerQuery).owner_id);
    await this.progress.waitUntilCaughtUp(['planned-posts', 'publish-schedule'], this.store);
    return new RecoveryView(await this.countHeld.execute(ownerId));
  }

  @Documented({
    summary: 'Settle what is held after a restore',
    body: ConfirmRecoveryBody,
    codes: { 404: ['not_found'], 409: ['recovery_running'], 422: ['unknown_id'] },
  })
  @Post('confirm')
  confirm(@TheCall() call: Call): Promise<SettledView> {
    const read = fieldsReader(ConfirmRecoveryBody);
    return this.changes.handlePost({ ...call, read }, async (body, { context }) => {
      const ownerId = getListScope(call.request, body.owner_id);
      if (body.owner_id !== undefined) await requireOwner(this.findResource, body.owner_id);
      const choice = { planned: body.planned ?? null, inDoubt: body.in_doubt ?? null };
      const outcome = await this.commands.execute(new ConfirmRecovery(context, ownerId, choice));
      const view = isRejection(outcome) ? new SettledView(0, 0) : new SettledView(outcome.planned, outcome.inDoubt);
      return { outcome, readModels: READ_MODELS_OF_POSTS, show: async () => view };
    });
  }
}
