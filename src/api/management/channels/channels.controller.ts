import { Controller, Delete, Get, Inject, Injectable, Patch, Post, Req, UseGuards } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { FastifyRequest } from 'fastify';
import {
  ChangeChannel,
  ConnectChannel,
  type Credentials,
  DeleteChannel,
  RetryChannel,
} from '../../../commands/channel.js';
import { PauseTargets, ResumeTargets } from '../../../commands/pause.js';
import type { Settings } from '../../../config/settings.js';
import { SETTINGS } from '../../../config/tokens.js';
import { CLOCK, type Clock } from '../../../kernel/clock.js';
import { LOG, type Log } from '../../../kernel/log.js';
import { TEST_MESSAGES } from '../../../platforms/messages.js';
import { PlatformCatalogue, Publishers } from '../../../platforms/platform-catalogue.js';
import type { ChannelCheck, Publisher, TestContext } from '../../../platforms/publisher.js';
import { accountBudget, CallTurns } from '../../../postgres/call-turns.js';
import { FindChannelsOfChat, FindResource } from '../../../projections/discovery/discovery.queries.js';
import type { ChannelRow } from '../../../projections/discovery/discovery.tables.js';
import { ListReceipts } from '../../../projections/posts/publications.queries.js';
import { ChannelTrafficQueries } from '../../../projections/publish-schedule/channel-traffic.queries.js';
import { sleepUnlessAborted } from '../../../runtime/sleep.js';
import { SecretVault, UnreadableSecret } from '../../../secrets/vault.js';
import { Documented } from '../../documentation/documented.js';
import {
  type ArchivedListView,
  buildListView,
  fieldsReader,
  type ListView,
  readQuery,
  toPage,
} from '../../transport/fields.js';
import { HttpProblem } from '../../transport/problem.view.js';
import { ApiKeyGuard } from '../api-key.guard.js';
import { ChangePipeline, READ_MODELS_OF_DELETION } from '../change-pipeline.js';
import { CascadeQuery, PauseBody } from '../common-fields.js';
import { CHANNEL_MESSAGES } from '../messages.js';
import {
  type Call,
  LIST_QUERIES,
  OfResource,
  OwnedResources,
  requireOwner,
  type ResourceCall,
  type ResourcePlace,
  TheCall,
  withOwner,
} from '../owned-resources.js';
import {
  ChannelPatchBody,
  type ChannelReaders,
  ChannelView,
  createChannelReaders,
  describeNewChannel,
  ReceiptsQuery,
  ReceiptView,
  type TestedChannelView,
} from './channel.dto.js';

/** The result of testing a channel (management-api.md: `POST /channels/{id}/test`). */
export interface ChannelTest {
  /** True if every check of publishing succeeded; `withdraw`, `edit` and `statistics` do not count. */
  readonly ok: boolean;
  readonly checks: readonly ChannelCheck[];
}

/** Checks of what can be done with published posts; they say nothing about publishing. */
const AFTER_PUBLISHING: ReadonlySet<string> = new Set(['withdraw', 'edit', 'statistics']);

/** Total time limit for all calls in a test, in ms. It is short, because the caller is waiting for the result. */
const TEST_LIMIT_MS = 5_000;

/**
 * Checks with a channel's network whether the credentials allow posting there, without posting. Calls respect the
 * account's pacing, like posts, and concurrent tests of a channel share one result.
 */
@Injectable()
export class ChannelTester {
  private readonly running = new Map<string, Promise<ChannelTest>>();

  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(LOG) private readonly log: Log,
    private readonly platforms: PlatformCatalogue,
    private readonly publishers: Publishers,
    private readonly vault: SecretVault,
    private readonly turns: CallTurns,
  ) {}

  /** Does not throw if the network is down or rejects the credentials; a check in the result reports the failure. */
  test(channel: ChannelRow): Promise<ChannelTest> {
    const key = `${channel.channel_id}/${channel.credentials_id}`;
    const running = this.running.get(key);
    if (running) return running;
    const test = this.run(channel).finally(() => this.running.delete(key));
    this.running.set(key, test);
    return test;
  }

  /**
   * Returns the credentials with the id of the chat in place of its public name, which only the network can look up.
   * @throws HttpProblem 422 if the network does not give the id
   */
  async resolveNames(platform: string, ownerId: string, { address, secret }: Credentials): Promise<Credentials> {
    const publisher = this.publishers.get(platform);
    const { credentials, title } = this.platforms.get(platform);
    const resolved: Record<string, string> = { ...address };
    for (const [name, value] of Object.entries(address)) {
      const field = credentials[name];
      if (field?.kind !== 'address' || field.form.test(value) || !publisher.findChat) continue;
      const signal = AbortSignal.timeout(TEST_LIMIT_MS);
      const awaitTurn = this.turnsOf(publisher, ownerId, signal);
      const found = await publisher.findChat(value, { credentials: secret, awaitTurn, signal });
      if ('error' in found || !field.form.test(found.id)) {
        const reason = 'error' in found ? found.error.message : TEST_MESSAGES.noSuchName({ network: title });
        const message = CHANNEL_MESSAGES.nameNotFound({ name: value, reason });
        throw new HttpProblem(422, 'invalid', [{ path: `credentials.${name}`, code: 'unknown_id', message }]);
      }
      resolved[name] = found.id;
    }
    return { address: resolved, secret };
  }

  private async run(channel: ChannelRow): Promise<ChannelTest> {
    const checks: ChannelCheck[] = [];
    const read = await this.readCredentials(channel.credentials_id);
    if (typeof read === 'string') return { ok: false, checks: [failedCheck(read)] };
    const limit = new AbortController();
    const timer = setTimeout(() => limit.abort(), TEST_LIMIT_MS);
    try {
      const publisher = this.publishers.get(channel.platform);
      const target = { id: channel.channel_id, address: channel.address, settings: { ...channel.settings } };
      const awaitTurn = this.turnsOf(publisher, channel.owner_id, limit.signal);
      const context = { credentials: read, channel: target, awaitTurn, signal: limit.signal };
      for await (const check of publisher.test(context)) checks.push(check);
    } catch (thrown) {
      this.log.error({ channel: channel.channel_id, err: thrown }, 'failed to test a channel');
      checks.push(failedCheck(CHANNEL_MESSAGES.testFailed));
    } finally {
      clearTimeout(timer);
    }
    return { ok: checks.every(({ name, ok }) => ok || AFTER_PUBLISHING.has(name)), checks };
  }

  private turnsOf({ platform, pace }: Publisher, ownerId: string, signal: AbortSignal): TestContext['awaitTurn'] {
    if (!this.settings.pacing) return async () => undefined;
    const limits = pace.perCredential.map(({ calls, perMs }) => [calls, perMs] as const);
    return async (credential) => {
      if (signal.aborted) return;
      const { waitMs } = await this.turns.reserve([accountBudget({ platform, ownerId, credential }, limits)]);
      if (waitMs > 0) await sleepUnlessAborted(waitMs, signal);
    };
  }

  /** Reads the credentials; returns an explanation for the user if they are missing or cannot be decrypted. */
  private async readCredentials(id: string): Promise<TestContext['credentials'] | string> {
    try {
      return (await this.vault.readSecret(id)) ?? CHANNEL_MESSAGES.credentialsMissing;
    } catch (error) {
      if (!(error instanceof UnreadableSecret)) throw error;
      return CHANNEL_MESSAGES.credentialsUnreadable;
    }
  }
}

const failedCheck = (message: string): ChannelCheck => ({
  name: 'credentials',
  ok: false,
  message,
  platform_says: null,
});

const READ_MODELS = ['discovery', 'publish-schedule'];

/** Manages channels: one community or chat on one network each (D-3; management-api.md: Routes). */
@Controller('manage/v1/channels')
@UseGuards(ApiKeyGuard)
export class ChannelsController {
  private readonly bodies: ChannelReaders;

  constructor(
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly commands: CommandBus,
    private readonly connectChannel: ConnectChannel,
    private readonly changeChannel: ChangeChannel,
    private readonly deleteChannel: DeleteChannel,
    private readonly pauseTargets: PauseTargets,
    private readonly resumeTargets: ResumeTargets,
    private readonly listReceipts: ListReceipts,
    private readonly traffic: ChannelTrafficQueries,
    private readonly findChannelsOfChat: FindChannelsOfChat,
    private readonly findResource: FindResource,
    private readonly resources: OwnedResources,
    private readonly changes: ChangePipeline,
    private readonly tester: ChannelTester,
    private readonly platforms: PlatformCatalogue,
  ) {
    this.bodies = createChannelReaders(platforms);
  }

  @Documented({
    summary: 'Connect a channel',
    scope: 'manage',
    body: describeNewChannel,
    status: 201,
    codes: { 402: ['resource_limit'] },
  })
  @Post()
  async connect(@TheCall() call: Call): Promise<TestedChannelView> {
    const read = withOwner(call.request, this.bodies.readChannel);
    return this.changes.handlePost({ ...call, read, status: 201 }, async (body, change) => {
      await requireOwner(this.findResource, body.ownerId);
      const credentials = await this.tester.resolveNames(body.platform, body.ownerId, body.credentials);
      const channelId = change.newId('tgt');
      const outcome = await this.connectChannel.execute(change.context, { channelId, ...body, credentials });
      return { outcome, readModels: READ_MODELS, show: () => this.findTestedView({ ...call, id: channelId }) };
    });
  }

  @Documented({ summary: 'List channels', scope: 'read', forLimitedKeys: true, query: LIST_QUERIES.channel })
  @Get()
  async list(@Req() request: FastifyRequest): Promise<ListView<ChannelView>> {
    return this.resources.listResources(request, 'channel', (rows) => this.buildViews(rows));
  }

  @Documented({ summary: 'Show a channel', scope: 'read', forLimitedKeys: true })
  @Get(':id')
  async get(@OfResource('channel') call: ResourceCall<'channel'>): Promise<ChannelView> {
    return this.buildView(call.resource);
  }

  @Documented({ summary: 'Change a channel', scope: 'manage', body: ChannelPatchBody })
  @Patch(':id')
  async change(@OfResource('channel') call: ResourceCall<'channel'>): Promise<ChannelView> {
    const read = this.bodies.readChannelChange(call.resource.platform);
    return this.changes.handlePatch({ ...call, read }, async (body, change) => {
      const { platform, owner_id: ownerId } = call.resource;
      const credentials = body.credentials && (await this.tester.resolveNames(platform, ownerId, body.credentials));
      const outcome = await this.changeChannel.execute(change.context, call.id, { ...body, credentials });
      const show = (): Promise<ChannelView> => (body.credentials ? this.findTestedView(call) : this.findView(call));
      return { outcome, readModels: READ_MODELS, show };
    });
  }

  @Documented({ summary: 'Test whether the credentials of a channel allow posting', scope: 'manage', isQuestion: true })
  @Post(':id/test')
  async test(@OfResource('channel') call: ResourceCall<'channel'>): Promise<ChannelTest> {
    return this.changes.handlePost(call, async () => ({
      outcome: { position: -1n }, // a test changes nothing
      readModels: [],
      show: () => this.tester.test(call.resource),
    }));
  }

  @Documented({
    summary: 'Retry a channel that needs attention',
    scope: 'manage',
    codes: { 409: ['nothing_to_retry', 'channel_disabled'] },
  })
  @Post(':id/retry')
  async retry(@OfResource('channel') call: ResourceCall<'channel'>): Promise<ChannelView> {
    return this.changes.handlePost(call, async (_, change) => {
      const outcome = await this.commands.execute(new RetryChannel(change.context, call.id));
      return { outcome, readModels: READ_MODELS, show: () => this.findView(call) };
    });
  }

  @Documented({ summary: 'Delete a channel', scope: 'manage', query: CascadeQuery, codes: { 409: ['in_use'] } })
  @Delete(':id')
  async delete(@OfResource('channel') call: ResourceCall<'channel'>): Promise<void> {
    const { cascade } = readQuery(call.request, CascadeQuery);
    return this.changes.handleDelete(call, async (change) => {
      const outcome = await this.deleteChannel.execute(change.context, call.id, cascade === 'true');
      return { outcome, readModels: READ_MODELS_OF_DELETION };
    });
  }

  @Documented({ summary: 'Pause a channel', scope: 'manage', body: PauseBody })
  @Post(':id/pause')
  async pause(@OfResource('channel') call: ResourceCall<'channel'>): Promise<ChannelView> {
    return this.changes.handlePost({ ...call, read: fieldsReader(PauseBody) }, async ({ minutes }, change) => {
      const scope = { channels: { ids: [call.id], minutes } };
      const outcome = await this.pauseTargets.execute(change.context, scope, { source: 'management' });
      return { outcome, readModels: READ_MODELS, show: () => this.findView(call) };
    });
  }

  @Documented({ summary: 'Resume a channel', scope: 'manage' })
  @Post(':id/resume')
  async resume(@OfResource('channel') call: ResourceCall<'channel'>): Promise<ChannelView> {
    return this.changes.handlePost(call, async (_, change) => {
      const outcome = await this.resumeTargets.execute(change.context, { channelIds: [call.id] });
      return { outcome, readModels: READ_MODELS, show: () => this.findView(call) };
    });
  }

  @Documented({ summary: 'List the receipts of a channel, oldest first', scope: 'read', query: ReceiptsQuery })
  @Get(':id/receipts')
  async receipts(
    @OfResource('channel') { request, id }: ResourceCall<'channel'>,
  ): Promise<ArchivedListView<ReceiptView>> {
    const query = readQuery(request, ReceiptsQuery);
    const page = toPage(query);
    const from = page.after === null ? Number(query.from ?? 1) : Number(page.after) + 1;
    const part = await this.listReceipts.execute(id, from, page.limit + 1);
    return buildListView(
      part,
      page,
      (row) => String(row.sequence),
      (shown) => shown.map((row) => new ReceiptView(row)),
    );
  }

  /** Tests the credentials of a channel, and warns of other channels that post to the same chat. */
  private async findTestedView({ request, id }: ResourcePlace): Promise<TestedChannelView> {
    const channel = await this.resources.findResource(request, 'channel', id);
    const [test, others] = await Promise.all([
      this.tester.test(channel),
      this.findChannelsOfChat.execute(channel, this.platforms.chatOf(channel.platform, channel.address)),
    ]);
    const warnings = others.map(({ channel_id, name }) => ({
      code: 'same_chat' as const,
      channel_id,
      message: CHANNEL_MESSAGES.sameChat({ name }),
    }));
    return { ...(await this.buildView(channel)), test, warnings };
  }

  private async findView({ request, id }: ResourcePlace): Promise<ChannelView> {
    return this.buildView(await this.resources.findResource(request, 'channel', id));
  }

  private async buildView(row: ChannelRow): Promise<ChannelView> {
    return (await this.buildViews([row]))[0]!;
  }

  private async buildViews(rows: readonly ChannelRow[]): Promise<ChannelView[]> {
    const trafficOf = await this.traffic.read(rows.map(({ channel_id: id }) => id));
    const now = this.clock.now();
    return rows.map((row) => new ChannelView(row, trafficOf(row.channel_id), now, this.platforms));
  }
}
