import { Controller, Get, Param, Post, UseGuards } from '@nestjs/common';
import { SkipSagaEvent } from '../../../commands/saga.js';
import {
  type SagaFailure,
  type SagaState,
  type SagaStatus,
  SagaStatuses,
} from '../../../sagas/engine/saga-status.queries.js';
import { idText, ReadAs } from '../../../validation/check-fields.js';
import { Must } from '../../../validation/rules.js';
import { Documented } from '../../documentation/documented.js';
import { fieldsReader, ListView } from '../../transport/fields.js';
import { notFoundProblem } from '../../transport/problem.view.js';
import { ApiKeyGuard } from '../api-key.guard.js';
import { ChangePipeline } from '../change-pipeline.js';
import { CALL_MESSAGES } from '../messages.js';
import { type Call, TheCall } from '../owned-resources.js';

/** Body of POST /sagas/{name}/skip. */
export class SkipSagaBody {
  /**
   * Position of the event, from the saga's `error.position`; sending it keeps a repeated call from skipping another
   * event. Default: the event at which the saga has stopped.
   */
  @ReadAs(idText)
  @Must.match(/^\d{1,19}$/, 'a position, as error.position of the saga shows it')
  readonly position: string | undefined;
  /** The reason why the event may be skipped. It is kept in the history. */
  @Must.beName()
  @Must.bePresent('why the event may be skipped')
  readonly reason!: string;
}

/** The event that a saga cannot handle. */
export class SagaErrorView {
  readonly message: string;
  readonly event_id: string;
  readonly position: string;
  readonly type: string;

  constructor({ message, eventId, position, type }: SagaFailure) {
    this.message = message;
    this.event_id = eventId;
    this.position = position;
    this.type = type;
  }
}

/** A saga that follows the log (management-api.md: `GET /sagas`). */
export class SagaView {
  readonly name: string;
  /** Position up to which the saga has handled events. Events of other types advance it only every few seconds. */
  readonly position: string;
  /** Position of the newest event. */
  readonly head: string;
  /** Number of events after its position; above a thousand, estimated as the difference between the positions. */
  readonly lag_events: number;
  /** Age of the oldest event after its position. */
  readonly lag_seconds: number;
  /** `retrying`: the last attempt failed; `stopped`: the failing event cannot be read, or is older than a minute. */
  readonly state: SagaState;
  /** Null unless the saga is failing on an event. */
  readonly error: SagaErrorView | null;
  /** Number of events that operators have skipped. */
  readonly skipped: number;

  constructor(status: SagaStatus) {
    this.name = status.name;
    this.position = String(status.position);
    this.head = String(status.head);
    this.lag_events = status.lagEvents;
    this.lag_seconds = status.lagSeconds;
    this.state = status.state;
    this.error = status.error && new SagaErrorView(status.error);
    this.skipped = status.skipped;
  }
}

const NAME = /^[a-z][a-z-]{0,62}$/;
const operatorOnly = CALL_MESSAGES.sagasForOperator;

/** Lets the operator view the sagas that follow the log and skip events (management-api.md: `GET /sagas`). */
@Controller('manage/v1/sagas')
@UseGuards(ApiKeyGuard)
export class SagasController {
  constructor(
    private readonly statuses: SagaStatuses,
    private readonly changes: ChangePipeline,
    private readonly skipSagaEvent: SkipSagaEvent,
  ) {}

  @Documented({ summary: 'List sagas', scope: 'read', operatorOnly })
  @Get()
  async list(): Promise<ListView<SagaView>> {
    const views = (await this.statuses.list()).map((status) => new SagaView(status));
    return new ListView(views, null);
  }

  @Documented({ summary: 'Show a saga', scope: 'read', operatorOnly })
  @Get(':name')
  async get(@Param('name') name: string): Promise<SagaView> {
    return this.findView(name);
  }

  @Documented({
    summary: 'Skip the event that a saga cannot handle',
    scope: 'manage',
    body: SkipSagaBody,
    operatorOnly,
    codes: { 409: ['not_stopped'] },
  })
  @Post(':name/skip')
  async skip(@TheCall() call: Call, @Param('name') name: string): Promise<SagaView> {
    await this.findView(name);
    const read = fieldsReader(SkipSagaBody);
    return this.changes.handlePost({ ...call, read }, async ({ position, reason }, { context }) => {
      const outcome = await this.skipSagaEvent.execute(context, name, position ?? null, reason);
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
