import { Controller, Get, Param, Post, UseGuards } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { SkipSagaEvent } from '../../../commands/saga/skip-saga-event.js';
import { SagaStatuses } from '../../../sagas/engine/saga-status.queries.js';
import { Documented } from '../../documentation/documented.js';
import { fieldsReader } from '../../transport/fields.js';
import { ListView } from '../../transport/page.js';
import { ApiKeyGuard } from '../api-key.guard.js';
import { ChangePipeline } from '../change-pipeline.js';
import { notFoundProblem } from '../http-problems.js';
import { CALL_MESSAGES } from '../messages.js';
import { type Call, TheCall } from '../resource-call.js';
import { SkipSagaBody } from './saga.bodies.js';
import { SagaView } from './saga.view.js';

const NAME = /^[a-z][a-z-]{0,62}$/;
const operatorOnly = CALL_MESSAGES.sagasForOperator;

/** Lets the operator view the sagas that follow the log and skip events (management-api.md: `GET /sagas`). */
@Controller('manage/v1/sagas')
@UseGuards(ApiKeyGuard)
export class SagasController {
  constructor(
    private readonly statuses: SagaStatuses,
    private readonly changes: ChangePipeline,
    private readonly commands: CommandBus,
  ) {}

  @Documented({ summary: 'List sagas', operatorOnly })
  @Get()
  async list(): Promise<ListView<SagaView>> {
    const views = (await this.statuses.list()).map((status) => new SagaView(status));
    return new ListView(views, null);
  }

  @Documented({ summary: 'Show a saga', operatorOnly })
  @Get(':name')
  async get(@Param('name') name: string): Promise<SagaView> {
    return this.findView(name);
  }

  @Documented({
    summary: 'Skip the event that a saga cannot handle',
    body: SkipSagaBody,
    operatorOnly,
    codes: { 409: ['not_stopped'] },
  })
  @Post(':name/skip')
  async skip(@TheCall() call: Call, @Param('name') name: string): Promise<SagaView> {
    await this.findView(name);
    const read = fieldsReader(SkipSagaBody);
    return this.changes.handlePost({ ...call, read }, async ({ position, reason }, { context }) => {
      const outcome = await this.commands.execute(new SkipSagaEvent(context, name, position ?? null, reason));
      return { outcome, readModels: [], show: () => this.findView(name) };
    });
  }

  /** @throws HttpProblem 404 */
  private async findView(name: string): Promise<SagaView> {
    const status = NAME.test(name) ? await this.statuses.find(name) : null;
    if (!status) throw notFoundProblem('saga');
    return new SagaView(status);
  }
}
