import { Controller, Delete, Get, Inject, Patch, Post, Req, UseGuards } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { FastifyRequest } from 'fastify';
import { ERASE_CONTENT } from '../../../commands/erase-content.js';
import {
  AddPostPack,
  ChangeOwner,
  DeleteOwner,
  type OwnerChange,
  RegisterOwner,
  RotateOwnerKey,
} from '../../../commands/owner.js';
import type { LimitsProfile } from '../../../config/limits-profile.js';
import type { Settings } from '../../../config/settings.js';
import { SETTINGS } from '../../../config/tokens.js';
import type { PostsLeft } from '../../../domain/owner/monthly-quota.js';
import { type Locale, LOCALES, type Plan, PLANS } from '../../../domain/owner/owner.events.js';
import { JobTable } from '../../../jobs/job.js';
import { type Clock, iso, SHARED_CLOCK } from '../../../kernel/clock.js';
import { MonthlyQuota } from '../../../limits/monthly-quota.js';
import { PlatformCatalogue, type PlatformDescriptor } from '../../../platforms/platform-catalogue.js';
import type { OwnerRow } from '../../../projections/discovery/discovery.tables.js';
import { MediaQueries } from '../../../projections/media/media.queries.js';
import { hashToken, newOwnerKey } from '../../../secrets/tokens.js';
import { type JsonSchema, Schema, schemaOf } from '../../../validation/json-schema.js';
import { Must } from '../../../validation/rules.js';
import { Documented } from '../../documentation/documented.js';
import { type BodyReader, fieldsReader, type ListView, readQuery } from '../../transport/fields.js';
import { forbiddenProblem } from '../../transport/problem.view.js';
import { ApiKeyGuard, getCaller } from '../api-key.guard.js';
import { ChangePipeline, READ_MODELS_OF_DELETION } from '../change-pipeline.js';
import { createCredentialsBody } from '../channels/channel.dto.js';
import { isTime, NoQuery } from '../common-fields.js';
import { askerOf, jobResult, type JobView, readBefore, startJob } from '../jobs/jobs.controller.js';
import { RotateKeyBody } from '../keys/key.dto.js';
import { BODY_MESSAGES, CALL_MESSAGES } from '../messages.js';
import {
  type Call,
  LIST_QUERIES,
  OfResource,
  OwnedResources,
  type ResourceCall,
  type ResourcePlace,
  TheCall,
} from '../owned-resources.js';
import { buildOwnerLimitsView, type OwnerLimitsView } from '../plans/plans.controller.js';
import { readPart } from '../request-body.js';

/** Body of POST /owners. */
export class OwnerBody {
  @Must.beName()
  @Must.bePresent('a name for people, such as "Acme"')
  readonly name!: string;

  @Must.beOneOf(PLANS)
  @Must.bePresent(`one of ${PLANS.join(', ')}`)
  readonly plan!: Plan;

  @Must.beOneOf(LOCALES)
  readonly locale: Locale | undefined;
}

/** Fields of PATCH /owners/{id}. */
export class OwnerPatchBody {
  @Must.beName()
  readonly name: string | undefined;

  @Must.beOneOf(PLANS)
  readonly plan: Plan | undefined;

  @Must.beOneOf(LOCALES)
  readonly locale: Locale | undefined;

  /** Null removes the chat. */
  @Schema.is(() => ({ type: ['object', 'null'] }))
  readonly notice_chat: unknown;
}

/**
 * Creates the reader for the body of PATCH /owners/{id}. Missing fields stay unchanged; null removes the notice chat.
 * @param carrier the network through which notices are sent; undefined if there is none
 */
export const createOwnerChangeReader = (carrier: PlatformDescriptor | undefined): BodyReader<OwnerChange> => {
  const NoticeChatBody = carrier && createCredentialsBody(carrier);
  return (sent, problems) => {
    const { name, plan, locale, notice_chat } = fieldsReader(OwnerPatchBody)(sent, problems);
    if (sent.notice_chat === null) return { name, plan, locale, noticeChat: null };
    if (!NoticeChatBody) {
      if (notice_chat !== undefined) problems.add(422, 'notice_chat', 'not_available', BODY_MESSAGES.noNoticeNetwork);
      return { name, plan, locale };
    }
    const chat = readPart(notice_chat, 'notice_chat', NoticeChatBody, problems) as Record<string, string> | undefined;
    return { name, plan, locale, noticeChat: chat && { botToken: chat.bot_token!, chatId: chat.chat_id! } };
  };
};

/** Returns the body schema for PATCH /owners/{id}. @param carrier as for {@link createOwnerChangeReader} */
export const describeOwnerPatch = (carrier: PlatformDescriptor | undefined): JsonSchema => {
  const schema = schemaOf(OwnerPatchBody);
  const chat = carrier && { anyOf: [schemaOf(createCredentialsBody(carrier)), { type: 'null' }] };
  return { ...schema, properties: { ...(schema.properties as JsonSchema), notice_chat: chat ?? { type: 'null' } } };
};

/** Body of POST /owners/{id}/erase-content. */
export class EraseContentBody {
  /** Months (UTC) that ended at or before this time are erased. */
  @isTime()
  @Must.bePresent('a time such as 2026-06-01T00:00:00Z')
  readonly before!: string;
}

/** Body of POST /owners/{id}/post-packs. */
export class PostPackBody {
  @Must.beWithin(1, 1_000_000)
  @Must.bePresent('how many posts')
  readonly posts!: number;
}

/** The chat that receives an owner's notices; its bot token is never shown. */
export interface NoticeChatView {
  readonly chat_id: string;
}

/** An owner as the API shows it (management-api.md: Routes). Its API key and its bot's token are never shown again. */
export class OwnerView {
  /** `own_…` */
  readonly id: string;
  readonly name: string;
  readonly plan: Plan;
  /** Language of notices. */
  readonly locale: Locale;
  /** Null if no chat receives notices. */
  readonly notice_chat: NoticeChatView | null;
  /** Publications that count against this month's quota (D-18). */
  readonly posts_used: number;
  /** Null if unlimited. */
  readonly posts_left: number | null;
  /** Start of the next UTC month, when the quota is reset (ISO 8601). */
  readonly resets_at: string;
  /** ISO 8601, UTC. */
  readonly created_at: string;
  /** The owner's limits, from the current limits profile. */
  readonly limits: OwnerLimitsView;

  constructor(row: OwnerRow, { used, left, resetsAt }: PostsLeft, profile: LimitsProfile) {
    this.id = row.owner_id;
    this.name = row.name;
    this.plan = row.plan;
    this.locale = row.locale;
    this.notice_chat = row.notice_chat && { chat_id: row.notice_chat.chat_id };
    this.posts_used = used;
    this.posts_left = left;
    this.resets_at = iso(resetsAt);
    this.created_at = row.created_at;
    this.limits = buildOwnerLimitsView(row.plan, profile);
  }
}

/** An owner and the room that its uploaded files take up. */
class OwnerDetailsView extends OwnerView {
  /** Total size of its uploaded files and what its plan allows, in bytes; `allowed` is null if unlimited. */
  declare readonly media_bytes: { readonly used: number; readonly allowed: number | null };
}

/** An owner with its new API key: the response to a registration and to `rotate-key`. */
export class OwnerWithKeyView extends OwnerView {
  /** Null in a replayed response: a secret is shown once (D-47). */
  declare readonly key: string | null;
}

/**
 * Includes the schedule, because buying a post pack or changing the plan releases posts held until next month (D-46).
 */
const READ_MODELS = ['discovery', 'posts', 'publish-schedule'];

/** Manages owners: plan, API key, post packs (management-api.md: Routes). */
@Controller('manage/v1/owners')
@UseGuards(ApiKeyGuard)
export class OwnersController {
  private readonly readOwnerChange: BodyReader<OwnerChange>;

  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    private readonly commands: CommandBus,
    private readonly changeOwner: ChangeOwner,
    private readonly deleteOwner: DeleteOwner,
    private readonly resources: OwnedResources,
    private readonly changes: ChangePipeline,
    private readonly quotas: MonthlyQuota,
    private readonly media: MediaQueries,
    private readonly jobs: JobTable,
    @Inject(SHARED_CLOCK) private readonly clock: Clock,
    platforms: PlatformCatalogue,
  ) {
    this.readOwnerChange = createOwnerChangeReader(platforms.noticeCarrier);
  }

  @Documented({
    summary: 'Register an owner',
    scope: 'manage',
    body: OwnerBody,
    status: 201,
    operatorOnly: CALL_MESSAGES.ownersForOperator,
  })
  @Post()
  async register(@TheCall() call: Call): Promise<OwnerWithKeyView> {
    return this.changes.handlePost({ ...call, read: fieldsReader(OwnerBody), status: 201 }, async (body, change) => {
      const id = change.newId('own');
      const shownOnce = await change.drawSecrets(() => ({ key: newOwnerKey(this.settings.brand) }));
      const owner = { ownerId: id, ...body, keyHash: hashToken(shownOnce.key) };
      const outcome = await this.commands.execute(new RegisterOwner(change.context, owner));
      return { outcome, readModels: READ_MODELS, show: () => this.findView({ ...call, id }), shownOnce };
    });
  }

  @Documented({ summary: 'List owners', scope: 'read', query: LIST_QUERIES.owner })
  @Get()
  async list(@Req() request: FastifyRequest): Promise<ListView<OwnerView>> {
    return this.resources.listResources(request, 'owner', (rows) => this.buildViews(rows));
  }

  @Documented({ summary: 'Show an owner with its quota and limits', scope: 'read' })
  @Get(':id')
  async get(@OfResource('owner') { id, resource }: ResourceCall<'owner'>): Promise<OwnerDetailsView> {
    const [view, { bytes: used }] = await Promise.all([this.buildView(resource), this.media.findHolding(id)]);
    return { ...view, media_bytes: { used, allowed: view.limits.resources.media_bytes } };
  }

  @Documented({
    summary: 'Change an owner',
    scope: 'manage',
    body: ({ platforms }) => describeOwnerPatch(platforms.noticeCarrier),
    codes: { 403: ['forbidden'] },
  })
  @Patch(':id')
  async change(@OfResource('owner') call: ResourceCall<'owner'>): Promise<OwnerView> {
    return this.changes.handlePatch({ ...call, read: this.readOwnerChange }, async (body, change) => {
      // Only the operator may change the plan. The guard cannot check this: it knows the route, not the body.
      if (body.plan !== undefined && getCaller(call.request).kind !== 'operator')
        throw forbiddenProblem(CALL_MESSAGES.planForOperator);
      const outcome = await this.changeOwner.execute(change.context, call.id, body);
      return { outcome, readModels: READ_MODELS, show: () => this.findView(call) };
    });
  }

  @Documented({
    summary: 'Delete an owner and everything that belongs to it',
    scope: 'manage',
    operatorOnly: CALL_MESSAGES.deletionForOperator,
  })
  @Delete(':id')
  async delete(@OfResource('owner') call: ResourceCall<'owner'>): Promise<void> {
    readQuery(call.request, NoQuery);
    return this.changes.handleDelete(call, async (change) => {
      const outcome = await this.deleteOwner.execute(change.context, call.id);
      return { outcome, readModels: READ_MODELS_OF_DELETION };
    });
  }

  @Documented({
    summary: 'Add a post pack to the month',
    scope: 'manage',
    body: PostPackBody,
    operatorOnly: CALL_MESSAGES.packsForOperator,
  })
  @Post(':id/post-packs')
  async addPostPack(@OfResource('owner') call: ResourceCall<'owner'>): Promise<OwnerView> {
    return this.changes.handlePost({ ...call, read: fieldsReader(PostPackBody) }, async ({ posts }, change) => {
      const outcome = await this.commands.execute(new AddPostPack(change.context, call.id, posts));
      return { outcome, readModels: READ_MODELS, show: () => this.findView(call) };
    });
  }

  @Documented({
    summary: 'Erase what an owner wrote in months that are over',
    scope: 'manage',
    description:
      'Erases for good: posts with their texts and media, what networks and webhook receivers answered, and where clients wrote from. Months in which something is not settled are left; the result of the job names them.',
    body: EraseContentBody,
    status: 202,
    codes: { 409: ['job_running'], 422: ['before_in_future'] },
  })
  @Post(':id/erase-content')
  async eraseContent(@OfResource('owner') call: ResourceCall<'owner'>): Promise<JobView> {
    const read = fieldsReader(EraseContentBody);
    return this.changes.handlePost({ ...call, read, status: 202 }, async (body, change) => {
      const before = readBefore(body.before, this.clock);
      const id = change.newId('job');
      const params = { owner_id: call.id, before, by: askerOf(change) };
      const job = { id, kind: ERASE_CONTENT, params, subject: `${ERASE_CONTENT}/${call.id}` };
      // A client that repeats the call because the response was lost gets the job started by the first call.
      return jobResult((await this.jobs.find(id)) ?? (await startJob(this.jobs, job)));
    });
  }

  @Documented({
    summary: "Replace an owner's API key",
    scope: 'manage',
    description: 'With `overlap_minutes`, the key before it also works for that long.',
    body: RotateKeyBody,
  })
  @Post(':id/rotate-key')
  async rotateKey(@OfResource('owner') call: ResourceCall<'owner'>): Promise<OwnerWithKeyView> {
    return this.changes.handlePost({ ...call, read: fieldsReader(RotateKeyBody) }, async (body, change) => {
      const shownOnce = await change.drawSecrets(() => ({ key: newOwnerKey(this.settings.brand) }));
      const overlapMs = (body.overlap_minutes ?? 0) * this.settings.minuteMs;
      const command = new RotateOwnerKey(change.context, call.id, hashToken(shownOnce.key), overlapMs);
      const outcome = await this.commands.execute(command);
      return { outcome, readModels: READ_MODELS, show: () => this.findView(call), shownOnce };
    });
  }

  private async findView({ request, id }: ResourcePlace): Promise<OwnerView> {
    return this.buildView(await this.resources.findResource(request, 'owner', id));
  }

  private async buildView(row: OwnerRow): Promise<OwnerView> {
    const [view] = await this.buildViews([row]);
    return view!;
  }

  private async buildViews(rows: readonly OwnerRow[]): Promise<OwnerView[]> {
    const left = await this.quotas.findPostsLeft(rows);
    return rows.map((row) => new OwnerView(row, left.get(row.owner_id)!, this.settings.limitsProfile));
  }
}
