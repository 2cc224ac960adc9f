import { Controller, Get, Inject, Param, Patch, Post, Req, Res, UseGuards } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ChangeChannel } from '../../../commands/channel/change-channel.js';
import { ConnectChannel } from '../../../commands/channel/connect-channel.js';
import { PauseTargets } from '../../../commands/pause/pause-targets.js';
import { ResumeTargets } from '../../../commands/pause/resume-targets.js';
import type { Settings } from '../../../config/settings.js';
import { SETTINGS } from '../../../config/tokens.js';
import { type Clock, CLOCK } from '../../../kernel/clock.js';
import { ListReceipts } from '../../../projections/posts/publications.queries.js';
import { callerOf } from '../caller.js';
import { Changes } from '../changes.js';
import { fieldsOf, readQuery } from '../request-body.js';
import { IdPipe } from '../id.pipe.js';
import { KeyGuard } from '../key.guard.js';
import { OwnedThings } from '../owned-resources.js';
import { owned, ownerMustExist } from '../resource-owner.js';
import { type ListAnswer, listAnswer, pageOf } from '../page.js';
import { NoFields, PauseDraft } from '../pause.body.js';
import { readChannel, readChannelChange } from './channel.bodies.js';
import { channelView, receiptView } from './channel.view.js';
import { ReceiptsQuery } from './receipts.query.js';

const VIEWS = ['discovery', 'publish-schedule'];

/** Channels: one community or chat on one network each (D-3; management-api.md). */
@Controller('manage/v1/channels')
@UseGuards(KeyGuard)
export class ChannelsController {
  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
    private readonly things: OwnedThings,
    private readonly changes: Changes,
  ) {}

  @Post()
  async connect(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply): Promise<object> {
    const read = owned(callerOf(request), readChannel);
    return this.changes.post({ request, reply, read, status: 201 }, async (draft, change) => {
      await ownerMustExist(this.queries, draft.ownerId);
      const channelId = change.newId('tgt');
      const outcome = await this.commands.execute(new ConnectChannel(change.execution, { channelId, ...draft }));
      return { outcome, views: VIEWS, show: () => this.show(request, channelId) };
    });
  }

  @Get()
  async list(@Req() request: FastifyRequest): Promise<ListAnswer> {
    const now = this.clock.now();
    return this.things.list(request, 'channel', (rows) => rows.map((row) => channelView(row, now)));
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
    const { platform } = await this.things.find(request, 'channel', id);
    return this.changes.patch({ request, reply, read: readChannelChange(platform) }, async (draft, change) => {
      const outcome = await this.commands.execute(new ChangeChannel(change.execution, id, draft));
      return { outcome, views: VIEWS, show: () => this.show(request, id) };
    });
  }

  @Post(':id/pause')
  async pause(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Param('id', IdPipe) id: string,
  ): Promise<object> {
    await this.things.find(request, 'channel', id);
    return this.changes.post({ request, reply, read: fieldsOf(PauseDraft) }, async ({ minutes }, change) => {
      const scope = { channels: { ids: [id], minutes } };
      const command = new PauseTargets(change.execution, scope, 'management', this.settings.minuteMs);
      const outcome = await this.commands.execute(command);
      return { outcome, views: VIEWS, show: () => this.show(request, id) };
    });
  }

  @Post(':id/resume')
  async resume(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Param('id', IdPipe) id: string,
  ): Promise<object> {
    await this.things.find(request, 'channel', id);
    return this.changes.post({ request, reply, read: fieldsOf(NoFields) }, async (_, change) => {
      const outcome = await this.commands.execute(new ResumeTargets(change.execution, { channelIds: [id] }));
      return { outcome, views: VIEWS, show: () => this.show(request, id) };
    });
  }

  @Get(':id/receipts')
  async receipts(@Req() request: FastifyRequest, @Param('id', IdPipe) id: string): Promise<ListAnswer> {
    await this.things.find(request, 'channel', id);
    const query = readQuery(request, ReceiptsQuery);
    const page = pageOf(query);
    const from = page.after === null ? Number(query.from ?? 1) : Number(page.after) + 1;
    const rows = await this.queries.execute(new ListReceipts(id, from, page.limit + 1));
    return listAnswer(
      rows,
      page,
      (row) => String(row.sequence),
      (shown) => shown.map(receiptView),
    );
  }

  private async show(request: FastifyRequest, id: string): Promise<object> {
    return channelView(await this.things.find(request, 'channel', id), this.clock.now());
  }
}
