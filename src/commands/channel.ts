import { Injectable } from '@nestjs/common';
import { channel, type ChannelCommand, type ChannelState } from '../domain/channel/channel.decider.js';
import type { Address, ChannelConnected, ChannelSettings } from '../domain/channel/channel.events.js';
import { AggregateStore } from '../event-store/aggregate-store.js';
import type { CommandContext } from '../event-store/codec.js';
import { streamOf } from '../kernel/events.js';
import { deriveUuid } from '../kernel/ids.js';
import { isRejection } from '../kernel/result.js';
import { References } from '../projections/discovery/references.queries.js';
import { ProjectionProgress } from '../projections/engine/progress.js';
import { type Secret, SecretVault } from '../secrets/vault.js';
import { AggregateCommand, type CommandOutcome, rejectForeign, toOutcome } from './command.js';
import { Deletions, rejectDeletedOwner, rejectInUse } from './deletion.js';
import { CappedCreation } from './plan-limits.js';

/** Fields to change; undefined fields stay unchanged. */
export interface ChannelChange {
  readonly name?: string;
  readonly credentials?: Credentials;
  readonly settings?: ChannelSettings;
  readonly enabled?: boolean;
}

/** Changes a channel's name, credentials or settings, or enables or disables it; undefined fields stay unchanged. */
@Injectable()
export class ChangeChannel {
  constructor(
    private readonly aggregates: AggregateStore,
    private readonly vault: SecretVault,
  ) {}

  async execute(
    context: CommandContext,
    channelId: string,
    { credentials, ...rest }: ChannelChange,
  ): Promise<CommandOutcome> {
    const replaced = credentials && {
      address: credentials.address,
      credentialsId: await this.vault.storeSecret(
        credentials.secret,
        streamOf(channel, channelId),
        deriveUuid(`${context.commandId}/credentials`),
      ),
    };
    const command = { type: 'ChangeChannel', channelId, ...rest, credentials: replaced } as const;
    return toOutcome(await this.aggregates.execute(channel, channelId, command, context));
  }
}

/** A channel's credentials, split into the public address and the part to encrypt. */
export interface Credentials {
  /** Chat or group (`chat_id`, `group_id`). */
  readonly address: Address;
  readonly secret: Secret;
}

export type NewChannel = Omit<ChannelConnected['data'], 'address' | 'credentialsId'> & {
  readonly credentials: Credentials;
};

/** Connects a new channel for an owner (D-3), within its plan's cap (D-67). */
@Injectable()
export class ConnectChannel {
  constructor(
    private readonly aggregates: AggregateStore,
    private readonly vault: SecretVault,
    private readonly deletions: Deletions,
    private readonly capped: CappedCreation,
  ) {}

  async execute(context: CommandContext, channel: NewChannel): Promise<CommandOutcome> {
    const { ownerId, channelId: id } = channel;
    const rejection = await rejectDeletedOwner(this.aggregates, ownerId);
    if (rejection) return rejection;
    return this.capped.createWithinCap({ channels: ownerId }, { ownerId, id }, () => this.connect(context, channel));
  }

  private async connect(context: CommandContext, { credentials, ...rest }: NewChannel): Promise<CommandOutcome> {
    const { address, secret } = credentials;
    const credentialsId = await this.vault.storeSecret(
      secret,
      streamOf(channel, rest.channelId),
      deriveUuid(`${context.commandId}/credentials`),
    );
    const command = { type: 'ConnectChannel', ...rest, address, credentialsId } as const;
    const connected = toOutcome(await this.aggregates.execute(channel, rest.channelId, command, context));
    if (isRejection(connected)) return connected;
    return (await this.deletions.verifyNewChannel(rest, context)) ?? connected;
  }
}

/**
 * Deletes a channel: it disappears from every view, its queue is cancelled, and its credentials are erased (D-56).
 *
 * Appends the deletion first. Its consequences follow here or, after a crash, in the saga `complete-deletions`.
 */
@Injectable()
export class DeleteChannel {
  constructor(
    private readonly aggregates: AggregateStore,
    private readonly deletions: Deletions,
    private readonly references: References,
    private readonly progress: ProjectionProgress,
  ) {}

  /** @param cascade if true, removes the channel from the projects that refer to it; if false, rejects with `in_use` if any do */
  async execute(context: CommandContext, channelId: string, cascade: boolean): Promise<CommandOutcome> {
    const rejection =
      (await rejectForeign(this.aggregates, channel, [channelId], context)) ??
      (cascade ? null : await this.rejectInUse(channelId));
    if (rejection) return rejection;
    const command = { type: 'DeleteChannel', channelId } as const;
    const deleted = toOutcome(await this.aggregates.execute(channel, channelId, command, context));
    return this.deletions.completeNow(deleted, ({ position }) =>
      this.deletions.completeChannel(channelId, position, context),
    );
  }

  /** A reference that is added after this check is removed again: see `Deletions`. */
  private async rejectInUse(channelId: string) {
    await this.progress.waitUntilCaughtUp(['discovery'], this.aggregates.store);
    return rejectInUse('channel', 'project_ids', await this.references.findProjectsNaming(channelId));
  }
}

/** A refusal by a network that would also affect every later post. */
export type ChannelRefusal = Omit<Extract<ChannelCommand, { readonly type: 'FlagChannel' }>, 'type'>;

/**
 * Marks a channel that cannot post, and holds its queue (D-26, D-50).
 * @returns the channel afterwards; null if there is none
 * @throws Unavailable
 */
export const flagChannel = async (
  aggregates: AggregateStore,
  context: CommandContext,
  refusal: ChannelRefusal,
): Promise<ChannelState> => {
  const command = { type: 'FlagChannel', ...refusal } as const;
  const result = await aggregates.execute(channel, refusal.channelId, command, context);
  return isRejection(result) ? null : result.aggregate.state;
};

/**
 * Changes a channel's address after its network reported that the chat has moved.
 * @returns the channel afterwards; null if there is none
 * @throws Unavailable
 */
export const moveChannel = async (
  aggregates: AggregateStore,
  context: CommandContext,
  channelId: string,
  address: Address,
): Promise<ChannelState> => {
  const command = { type: 'MoveChannel', channelId, address } as const;
  const result = await aggregates.execute(channel, channelId, command, context);
  return isRejection(result) ? null : result.aggregate.state;
};

/**
 * At the owner's request, resumes a channel that needs attention: the first post in its queue is tried at once, with
 * the stored credentials (D-50). Rejected with `channel_disabled`, or `nothing_to_retry` if the channel is not waiting.
 */
export class RetryChannel extends AggregateCommand<ChannelCommand> {
  constructor(context: CommandContext, channelId: string) {
    super(context, channel, channelId, { type: 'RetryChannel', channelId, at: context.at });
  }
}
