import { Controller, Get, Inject, Param, Patch, Post, Req, Res, UseGuards } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AddPostPack } from '../../../commands/owner/add-post-pack.js';
import { ChangeOwner } from '../../../commands/owner/change-owner.js';
import { RegisterOwner } from '../../../commands/owner/register-owner.js';
import { RotateOwnerKey } from '../../../commands/owner/rotate-owner-key.js';
import type { Settings } from '../../../config/settings.js';
import { SETTINGS } from '../../../config/tokens.js';
import type { OwnerRow } from '../../../projections/discovery/discovery.tables.js';
import { newOwnerKey, tokenHash } from '../../../secrets/tokens.js';
import { callerOf } from '../caller.js';
import { Changes } from '../changes.js';
import { fieldsOf } from '../request-body.js';
import { IdPipe } from '../id.pipe.js';
import { KeyGuard } from '../key.guard.js';
import { OwnedThings } from '../owned-resources.js';
import type { ListAnswer } from '../page.js';
import { NoFields } from '../pause.body.js';
import { Quotas } from '../quotas.js';
import { forbidden } from '../refusals.js';
import { OwnerDraft, PostPackDraft, readOwnerChange } from './owner.bodies.js';
import { ownerView } from './owner.view.js';

/** The schedule: a post pack or another plan lets go what waits for the month (D-46). */
const VIEWS = ['discovery', 'posts', 'publish-schedule'];

/** Owners: plan, key, post packs (management-api.md). */
@Controller('manage/v1/owners')
@UseGuards(KeyGuard)
export class OwnersController {
  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    private readonly commands: CommandBus,
    private readonly things: OwnedThings,
    private readonly changes: Changes,
    private readonly quotas: Quotas,
  ) {}

  @Post()
  async register(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply): Promise<object> {
    operatorOnly(request, 'Only the operator registers owners.');
    return this.changes.post({ request, reply, read: fieldsOf(OwnerDraft), status: 201 }, async (draft, change) => {
      const ownerId = change.newId('own');
      const { key } = await change.draw(() => ({ key: newOwnerKey(this.settings.brand) }));
      const owner = { ownerId, name: draft.name, plan: draft.plan, keyHash: tokenHash(key) };
      const outcome = await this.commands.execute(new RegisterOwner(change.execution, owner));
      return { outcome, views: VIEWS, show: () => this.show(request, ownerId), shownOnce: { key } };
    });
  }

  @Get()
  async list(@Req() request: FastifyRequest): Promise<ListAnswer> {
    return this.things.list(request, 'owner', (rows) => this.view(rows));
  }

  @Get(':id')
  async get(@Req() request: FastifyRequest, @Param('id', IdPipe) id: string): Promise<object> {
    return this.show(request, id);
  }

  @Patch(':id')
  async change(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Param('id', IdPipe) id: string,
  ): Promise<object> {
    await this.things.find(request, 'owner', id);
    return this.changes.patch({ request, reply, read: readOwnerChange }, async (draft, change) => {
      if (draft.plan !== undefined) operatorOnly(request, 'Only the operator changes a plan.');
      const outcome = await this.commands.execute(new ChangeOwner(change.execution, id, draft));
      return { outcome, views: VIEWS, show: () => this.show(request, id) };
    });
  }

  @Post(':id/post-packs')
  async addPostPack(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Param('id', IdPipe) id: string,
  ): Promise<object> {
    await this.things.find(request, 'owner', id);
    operatorOnly(request, 'Only the operator adds post packs.');
    return this.changes.post({ request, reply, read: fieldsOf(PostPackDraft) }, async ({ posts }, change) => {
      const outcome = await this.commands.execute(new AddPostPack(change.execution, id, posts));
      return { outcome, views: VIEWS, show: () => this.show(request, id) };
    });
  }

  @Post(':id/rotate-key')
  async rotateKey(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Param('id', IdPipe) id: string,
  ): Promise<object> {
    await this.things.find(request, 'owner', id);
    return this.changes.post({ request, reply, read: fieldsOf(NoFields) }, async (_, change) => {
      const { key } = await change.draw(() => ({ key: newOwnerKey(this.settings.brand) }));
      const outcome = await this.commands.execute(new RotateOwnerKey(change.execution, id, tokenHash(key)));
      return { outcome, views: VIEWS, show: () => this.show(request, id), shownOnce: { key } };
    });
  }

  private async show(request: FastifyRequest, id: string): Promise<object> {
    const [view] = await this.view([await this.things.find(request, 'owner', id)]);
    return view!;
  }

  private async view(rows: readonly OwnerRow[]): Promise<object[]> {
    const left = await this.quotas.of(rows);
    return rows.map((row) => ownerView(row, left.get(row.owner_id)!));
  }
}

const operatorOnly = (request: FastifyRequest, message: string): void => {
  if (callerOf(request).kind !== 'operator') throw forbidden(message);
};
