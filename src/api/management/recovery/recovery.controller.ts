import { Controller, Get, Inject, Post, Req, UseGuards } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { READ_MODELS_OF_POSTS } from '../../../commands/post/planned-posts.js';
import { ConfirmRecovery } from '../../../commands/recovery.js';
import type { NoticedBy } from '../../../domain/recovery/recovery.events.js';
import { EVENT_STORE, type EventStore } from '../../../event-store/port.js';
import { isoOrNull } from '../../../kernel/clock.js';
import { isRejection } from '../../../kernel/result.js';
import { FindResource } from '../../../projections/discovery/discovery.queries.js';
import { ProjectionProgress } from '../../../projections/engine/progress.js';
import { CountHeld, type HeldCounts } from '../../../projections/publish-schedule/holds.queries.js';
import { Must } from '../../../validation/rules.js';
import { Documented } from '../../documentation/documented.js';
import { fieldsReader, readQuery } from '../../transport/fields.js';
import { ApiKeyGuard, getListScope } from '../api-key.guard.js';
import { ChangePipeline } from '../change-pipeline.js';
import { ID_PATTERN, OwnerQuery } from '../common-fields.js';
import { type Call, requireOwner, TheCall } from '../owned-resources.js';

const PLANNED = ['keep', 'cancel'] as const;
const IN_DOUBT = ['resend', 'dismiss'] as const;

/** Body of POST /recovery/confirm. */
export class ConfirmRecoveryBody {
  /** Only this owner. Operators may omit it to settle all owners' posts; owners may pass only their own id. */
  @Must.match(ID_PATTERN, 'an id such as own_…')
  readonly owner_id: string | undefined;
  /** Keeps the planned posts, so that they are published at their time, or cancels them. Default: leaves them held. */
  @Must.beOneOf(PLANNED)
  readonly planned: (typeof PLANNED)[number] | undefined;
  /** Sends the publications in doubt again, or dismisses them. Default: leaves them in doubt. */
  @Must.beOneOf(IN_DOUBT)
  readonly in_doubt: (typeof IN_DOUBT)[number] | undefined;
}

/** The latest recovery from lost events, and what it still holds (D-80). */
export class RecoveryView {
  /** `held` while posts wait for a decision. */
  readonly state: 'none' | 'held';
  /** ISO 8601, UTC: RESTORED_AT, or the time at which the loss was noticed; null if nothing was ever lost. */
  readonly restored_at: string | null;
  /** Null if nothing was ever lost. */
  readonly noticed_by: NoticedBy | null;
  /** Null if unknown. */
  readonly lost_events: number | null;
  /** Time of the last event that is left (ISO 8601, UTC); null if there is none. */
  readonly from: string | null;
  /** Time up to which events may be lost (ISO 8601, UTC); null if nothing was ever lost. */
  readonly until: string | null;
  /** Number of planned posts that are held. */
  readonly planned: number;
  /** Number of publications in doubt. */
  readonly in_doubt: number;

  constructor({ facts, planned, inDoubt, isOpen }: HeldCounts) {
    this.state = isOpen || planned > 0 || inDoubt > 0 ? 'held' : 'none';
    this.restored_at = isoOrNull(facts?.restoredAt ?? null);
    this.noticed_by = facts?.noticedBy ?? null;
    this.lost_events = facts?.lostEvents ?? null;
    this.from = isoOrNull(facts?.from ?? null);
    this.until = isoOrNull(facts?.until ?? null);
    this.planned = planned;
    this.in_doubt = inDoubt;
  }
}

/** What POST /recovery/confirm settled. */
export class SettledView {
  /** Number of planned posts. */
  readonly planned: number;
  /** Number of publications. */
  readonly in_doubt: number;

  constructor(planned: number, inDoubt: number) {
    this.planned = planned;
    this.in_doubt = inDoubt;
  }
}

/** Shows what is held because events were lost, and settles it (D-80). */
@Controller('manage/v1/recovery')
@UseGuards(ApiKeyGuard)
export class RecoveryController {
  constructor(
    @Inject(EVENT_STORE) private readonly store: EventStore,
    private readonly countHeld: CountHeld,
    private readonly progress: ProjectionProgress,
    private readonly changes: ChangePipeline,
    private readonly confirmRecovery: ConfirmRecovery,
    private readonly findResource: FindResource,
  ) {}

  @Documented({
    summary: 'Show what is held after a restore',
    scope: 'read',
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
    scope: 'manage',
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
      const outcome = await this.confirmRecovery.execute(context, ownerId, choice);
      const view = isRejection(outcome) ? new SettledView(0, 0) : new SettledView(outcome.planned, outcome.inDoubt);
      return { outcome, readModels: READ_MODELS_OF_POSTS, show: async () => view };
    });
  }
}
