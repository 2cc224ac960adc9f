import { Controller, Delete, Get, Inject, Patch, Post, Req, UseGuards } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { FastifyRequest } from 'fastify';
import { AddPostPack, ChangeOwner, DeleteOwner, RegisterOwner, RotateOwnerKey } from '../../../commands/owner.js';
import type { Settings } from '../../../config/settings.js';
import { SETTINGS } from '../../../config/tokens.js';
import { PlatformCatalogue } from '../../../platforms/platform-catalogue.js';
import type { OwnerRow } from '../../../projections/discovery/discovery.tables.js';
import { hashToken, newOwnerKey } from '../../../secrets/tokens.js';
import { Documented } from '../../documentation/documented.js';
import { type BodyReader, fieldsReader, readQuery } from '../../transport/fields.js';
import type { ListView } from '../../transport/page.js';
import { ApiKeyGuard, getCaller } from '../api-key.guard.js';
import { ChangePipeline, READ_MODELS_OF_DELETION } from '../change-pipeline.js';
import { EmptyBody, NoQuery } from '../common-fields.js';
import { forbiddenProblem } from '../http-problems.js';
import { CALL_MESSAGES } from '../messages.js';
import {
  type Call,
  LIST_QUERIES,
  OfResource,
  OwnedResources,
  type ResourceCall,
  type ResourcePlace,
  TheCall,
} from '../owned-resources.js';
import { PlanQuotas } from '../plan-quotas.js';
import {
  createOwnerChangeReader,
  describeOwnerPatch,
  OwnerBody,
  type OwnerChange,
  OwnerView,
  type OwnerWithKeyView,
  PostPackBody,
} from './owner.dto.js';

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
    private readonly resources: OwnedResources,
    private readonly changes: ChangePipeline,
    private readonly quotas: PlanQuotas,
    platforms: PlatformCatalogue,
  ) {
    this.readOwnerChange = createOwnerChangeReader(platforms.noticeCarrier);
  }

  @Documented({
    summary: 'Register an owner',
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

  @Documented({ summary: 'List owners', query: LIST_QUERIES.owner })
  @Get()
  async list(@Req() request: FastifyRequest): Promise<ListView<OwnerView>> {
    return this.resources.listResources(request, 'owner', (rows) => this.buildViews(rows));
  }

  @Documented({ summary: 'Show an owner with its quota and limits' })
  @Get(':id')
  async get(@OfResource('owner') call: ResourceCall<'owner'>): Promise<OwnerView> {
    return this.buildView(call.resource);
  }

  @Documented({
    summary: 'Change an owner',
    body: ({ platforms }) => describeOwnerPatch(platforms.noticeCarrier),
    codes: { 403: ['forbidden'] },
  })
  @Patch(':id')
  async change(@OfResource('owner') call: ResourceCall<'owner'>): Promise<OwnerView> {
    return this.changes.handlePatch({ ...call, read: this.readOwnerChange }, async (body, change) => {
      // Only the operator may change the plan. The guard cannot check this: it knows the route, not the body.
      if (body.plan !== undefined && getCaller(call.request).kind !== 'operator')
        throw forbiddenProblem(CALL_MESSAGES.planForOperator);
      const outcome = await this.commands.execute(new ChangeOwner(change.context, call.id, body));
      return { outcome, readModels: READ_MODELS, show: () => this.findView(call) };
    });
  }

  @Documented({
    summary: 'Delete an owner and everything that belongs to it',
    operatorOnly: CALL_MESSAGES.deletionForOperator,
  })
  @Delete(':id')
  async delete(@OfResource('owner') call: ResourceCall<'owner'>): Promise<void> {
    readQuery(call.request, NoQuery);
    return this.changes.handleDelete(call, async (change) => {
      const outcome = await this.commands.execute(new DeleteOwner(change.context, call.id));
      return { outcome, readModels: READ_MODELS_OF_DELETION };
    });
  }

  @Documented({
    summary: 'Add a post pack to the month',
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

  @Documented({ summary: "Replace an owner's API key" })
  @Post(':id/rotate-key')
  async rotateKey(@OfResource('owner') call: ResourceCall<'owner'>): Promise<OwnerWithKeyView> {
    return this.changes.handlePost({ ...call, read: fieldsReader(EmptyBody) }, async (_, change) => {
      const shownOnce = await change.drawSecrets(() => ({ key: newOwnerKey(this.settings.brand) }));
      const command = new RotateOwnerKey(change.context, call.id, hashToken(shownOnce.key));
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
