import { Controller, Delete, Get, Inject, Patch, Post, Req, UseGuards } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { FastifyRequest } from 'fastify';
import { ManageKeys } from '../../../commands/key.js';
import { RotateOwnerKey } from '../../../commands/owner.js';
import type { Settings } from '../../../config/settings.js';
import { SETTINGS } from '../../../config/tokens.js';
import { CLOCK, type Clock } from '../../../kernel/clock.js';
import { FindResource } from '../../../projections/discovery/discovery.queries.js';
import type { KeyRow } from '../../../projections/discovery/discovery.tables.js';
import { hashToken, newNamedKey, newOwnerKey } from '../../../secrets/tokens.js';
import { Documented } from '../../documentation/documented.js';
import { fieldsReader, type ListView, readQuery } from '../../transport/fields.js';
import { HttpProblem, notFoundProblem } from '../../transport/problem.view.js';
import { ApiKeyGuard, getCaller, getOwnerScope, KeyUses } from '../api-key.guard.js';
import { ChangePipeline } from '../change-pipeline.js';
import { NoQuery } from '../common-fields.js';
import { CALL_MESSAGES } from '../messages.js';
import {
  type Call,
  LIST_QUERIES,
  OfResource,
  OwnedResources,
  requireOwner,
  type ResourceCall,
  type ResourcePlace,
  TheCall,
} from '../owned-resources.js';
import {
  createKeyReader,
  describeNewKey,
  KeyPatchBody,
  KeyView,
  type KeyWithSecretView,
  MeView,
  readKeyChange,
  RotateKeyBody,
} from './key.dto.js';

const READ_MODELS = ['discovery'];

/** Issues, shows, changes, rotates and revokes keys for the management API (D-93, D-94). */
@Controller('manage/v1/keys')
@UseGuards(ApiKeyGuard)
export class KeysController {
  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly commands: CommandBus,
    private readonly keys: ManageKeys,
    private readonly uses: KeyUses,
    private readonly findResource: FindResource,
    private readonly resources: OwnedResources,
    private readonly changes: ChangePipeline,
  ) {}

  @Documented({
    summary: 'Issue a key',
    description:
      'The key is shown once. The operator must send `owner_id`: with the scope `audit`, null means all owners.',
    body: describeNewKey,
    status: 201,
    scope: 'manage',
    codes: { 402: ['resource_limit'], 403: ['forbidden'], 422: ['expires_at_past', 'limited_manage', 'audit_alone'] },
  })
  @Post()
  async issue(@TheCall() call: Call): Promise<KeyWithSecretView> {
    const read = createKeyReader(getOwnerScope(call.request), () => {
      throw notFoundProblem('owner');
    });
    return this.changes.handlePost({ ...call, read, status: 201 }, async (body, change) => {
      if (body.ownerId !== null) await requireOwner(this.findResource, body.ownerId);
      refusePast(body.expiresAt, change.context.at);
      const keyId = change.newId('key');
      const shownOnce = await change.drawSecrets(() => ({ key: newNamedKey(this.settings.brand) }));
      const issued = { keyId, ...body, keyHash: hashToken(shownOnce.key) };
      const outcome = await this.keys.issue(change.context, issued);
      return { outcome, readModels: READ_MODELS, show: () => this.findView({ ...call, id: keyId }), shownOnce };
    });
  }

  @Documented({ summary: 'List keys', query: LIST_QUERIES.key, scope: 'read' })
  @Get()
  async list(@Req() request: FastifyRequest): Promise<ListView<KeyView>> {
    return this.resources.listResources(request, 'key', (rows) => this.buildViews(rows));
  }

  @Documented({ summary: 'Show a key', scope: 'read' })
  @Get(':id')
  async get(@OfResource('key') call: ResourceCall<'key'>): Promise<KeyView> {
    return this.buildView(call.resource);
  }

  @Documented({
    summary: 'Change a key',
    body: KeyPatchBody,
    scope: 'manage',
    codes: { 403: ['forbidden'], 409: ['main_key'], 422: ['expires_at_past', 'limited_manage', 'audit_alone'] },
  })
  @Patch(':id')
  async change(@OfResource('key') call: ResourceCall<'key'>): Promise<KeyView> {
    return this.changes.handlePatch({ ...call, read: readKeyChange }, async (body, change) => {
      refuseMain(call.resource);
      refusePast(body.expiresAt ?? null, change.context.at);
      const outcome = await this.keys.change(change.context, call.id, body);
      return { outcome, readModels: READ_MODELS, show: () => this.findView(call) };
    });
  }

  @Documented({ summary: 'Revoke a key', scope: 'manage', codes: { 403: ['forbidden'], 409: ['main_key'] } })
  @Delete(':id')
  async revoke(@OfResource('key') call: ResourceCall<'key'>): Promise<void> {
    readQuery(call.request, NoQuery);
    return this.changes.handleDelete(call, async (change) => {
      refuseMain(call.resource);
      const outcome = await this.keys.revoke(change.context, call.id);
      return { outcome, readModels: READ_MODELS };
    });
  }

  @Documented({
    summary: 'Replace a key',
    description: 'With `overlap_minutes`, the old key keeps working until `previous_until`.',
    body: RotateKeyBody,
    scope: 'manage',
    codes: { 403: ['forbidden'] },
  })
  @Post(':id/rotate')
  async rotate(@OfResource('key') call: ResourceCall<'key'>): Promise<KeyWithSecretView> {
    const { key_id: id, owner_id: ownerId, is_main: isMain } = call.resource;
    const { brand, minuteMs } = this.settings;
    return this.changes.handlePost({ ...call, read: fieldsReader(RotateKeyBody) }, async (body, change) => {
      const shownOnce = await change.drawSecrets(() => ({ key: isMain ? newOwnerKey(brand) : newNamedKey(brand) }));
      const hash = hashToken(shownOnce.key);
      const overlapMs = (body.overlap_minutes ?? 0) * minuteMs;
      const outcome = isMain
        ? await this.commands.execute(new RotateOwnerKey(change.context, ownerId!, hash, overlapMs))
        : await this.keys.rotate(change.context, id, hash, overlapMs);
      return { outcome, readModels: READ_MODELS, show: () => this.findView(call), shownOnce };
    });
  }

  private async findView({ request, id }: ResourcePlace): Promise<KeyView> {
    return this.buildView(await this.resources.findResource(request, 'key', id));
  }

  private async buildView(row: KeyRow): Promise<KeyView> {
    const [view] = await this.buildViews([row]);
    return view!;
  }

  private async buildViews(rows: readonly KeyRow[]): Promise<KeyView[]> {
    const uses = await this.uses.find(rows.map(({ key_id }) => key_id));
    return rows.map((row) => new KeyView(row, uses.get(row.key_id), this.clock.now()));
  }
}

/** @throws HttpProblem 409 */
const refuseMain = ({ is_main }: KeyRow): void => {
  if (is_main) throw HttpProblem.withMessage(409, 'main_key', CALL_MESSAGES.mainKey);
};

/** @throws HttpProblem 422 if the expiry is in the past */
const refusePast = (expiresAt: number | null, now: number): void => {
  if (expiresAt === null || expiresAt > now) return;
  const problem = { path: 'expires_at', code: 'expires_at_past', message: CALL_MESSAGES.expiresInPast };
  throw new HttpProblem(422, 'expires_at_past', [problem]);
};

/** Shows callers their own identity and rights (D-93). */
@Controller('manage/v1/me')
@UseGuards(ApiKeyGuard)
export class MeController {
  constructor(private readonly findResource: FindResource) {}

  @Documented({ summary: 'Show whose key you use, and what it may do', scope: 'read', forLimitedKeys: true })
  @Get()
  async showMe(@Req() request: FastifyRequest): Promise<MeView> {
    const caller = getCaller(request);
    if (caller.kind === 'operator') return new MeView('operator', null, null);
    const { kind, ownerId, key } = caller;
    const owner = ownerId === null ? null : await this.findResource.execute('owner', ownerId, null);
    return new MeView(kind, owner && { id: owner.owner_id, name: owner.name }, key);
  }
}
