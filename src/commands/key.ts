import { Injectable } from '@nestjs/common';
import { key, type KeyCommand } from '../domain/key/key.decider.js';
import type { KeyIssued, KeySettings } from '../domain/key/key.events.js';
import { KEY_MESSAGES } from '../domain/messages.js';
import { AggregateStore } from '../event-store/aggregate-store.js';
import type { CommandContext } from '../event-store/codec.js';
import { isRejection, reject } from '../kernel/result.js';
import { FindMissingIds } from '../projections/discovery/discovery.queries.js';
import { type CommandOutcome, rejectUnknownIds, toOutcome } from './command.js';
import { rejectDeletedOwner } from './deletion.js';
import { CappedCreation } from './plan-limits.js';

/**
 * Issues, changes, rotates and revokes keys for the management API (D-93, D-94). Only the operator issues and changes
 * auditors' keys. The key itself is never stored: commands have its hash.
 */
@Injectable()
export class ManageKeys {
  constructor(
    private readonly aggregates: AggregateStore,
    private readonly capped: CappedCreation,
    private readonly findMissingIds: FindMissingIds,
  ) {}

  /** @throws Unavailable */
  async issue(context: CommandContext, issued: KeyIssued['data']): Promise<CommandOutcome> {
    const { keyId: id, ownerId, scopes, endpointIds } = issued;
    const refused = refuseAuditors(context, scopes) ?? (await this.refuseEndpoints(ownerId, endpointIds));
    if (refused) return refused;
    const create = () => this.execute(context, id, { type: 'IssueKey', ...issued });
    if (ownerId === null) return create();
    const places = scopes.includes('audit') ? {} : { keys: ownerId };
    const created = await this.capped.createWithinCap(places, { ownerId, id }, create);
    const deleted = isRejection(created) ? null : await rejectDeletedOwner(this.aggregates, ownerId);
    if (deleted) await this.execute({ ...context, commandId: `${context.commandId}/drop` }, id, revoke(id));
    return deleted ?? created;
  }

  /** Changes what is not undefined. @throws Unavailable */
  async change(context: CommandContext, keyId: string, change: Partial<KeySettings>): Promise<CommandOutcome> {
    const { state } = await this.aggregates.loadAggregate(key, keyId);
    const scopes = [...(state?.scopes ?? []), ...(change.scopes ?? [])];
    const refused =
      refuseAuditors(context, scopes) ??
      (await this.refuseEndpoints(state?.ownerId ?? null, change.endpointIds ?? null));
    return refused ?? this.execute(context, keyId, { type: 'ChangeKey', keyId, ...change });
  }

  /** @param keyHash SHA-256, hex @param overlapMs how long the present key also works, in ms @throws Unavailable */
  async rotate(context: CommandContext, keyId: string, keyHash: string, overlapMs: number): Promise<CommandOutcome> {
    const previousUntil = overlapMs > 0 ? context.at + overlapMs : null;
    return this.executeAsIssuer(context, keyId, { type: 'RotateKey', keyId, keyHash, previousUntil });
  }

  /** The key stops working at once. @throws Unavailable */
  async revoke(context: CommandContext, keyId: string): Promise<CommandOutcome> {
    return this.executeAsIssuer(context, keyId, revoke(keyId));
  }

  private async executeAsIssuer(context: CommandContext, keyId: string, command: KeyCommand): Promise<CommandOutcome> {
    const { state } = await this.aggregates.loadAggregate(key, keyId);
    return refuseAuditors(context, state?.scopes ?? []) ?? this.execute(context, keyId, command);
  }

  private async execute(context: CommandContext, keyId: string, command: KeyCommand): Promise<CommandOutcome> {
    return toOutcome(await this.aggregates.execute(key, keyId, command, context));
  }

  private async refuseEndpoints(ownerId: string | null, endpointIds: readonly string[] | null) {
    if (ownerId === null || endpointIds === null) return null;
    const missing = await this.findMissingIds.execute('endpoint', ownerId, endpointIds);
    return missing.length > 0 ? rejectUnknownIds('endpoint_ids', missing) : null;
  }
}

const revoke = (keyId: string): KeyCommand => ({ type: 'RevokeKey', keyId });

const refuseAuditors = ({ actor }: CommandContext, scopes: readonly string[]) =>
  scopes.includes('audit') && actor !== 'operator' ? reject('forbidden', KEY_MESSAGES.auditorsForOperator) : null;
