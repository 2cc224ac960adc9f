import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { channel } from '../../domain/channel/channel.decider.js';
import type { Address, ChannelConnected } from '../../domain/channel/channel.events.js';
import { AggregateStore } from '../../event-store/aggregate-store.js';
import type { CommandContext } from '../../event-store/codec.js';
import { streamOf } from '../../kernel/decider.js';
import { deriveUuid } from '../../kernel/ids.js';
import { isRejection } from '../../kernel/result.js';
import { type Secret, SecretVault } from '../../secrets/vault.js';
import { type CommandOutcome, toOutcome } from '../command-result.js';
import { Deletions } from '../deletion/deletions.js';
import { rejectDeletedOwner } from '../deletion/reject-deleted-owner.js';
import { CappedCreation } from '../resource-cap/capped-creation.js';

/** A channel's credentials, split into the public address and the part to encrypt. */
export interface Credentials {
  /** Chat or group (`chat_id`, `group_id`). */
  readonly address: Address;
  readonly secret: Secret;
}

/** Connects a new channel for an owner (D-3), within its plan's cap (D-67). */
export class ConnectChannel extends Command<CommandOutcome> {
  constructor(
    readonly context: CommandContext,
    readonly channel: Omit<ChannelConnected['data'], 'address' | 'credentialsId'> & {
      readonly credentials: Credentials;
    },
  ) {
    super();
  }
}

@CommandHandler(ConnectChannel)
export class ConnectChannelHandler implements ICommandHandler<ConnectChannel> {
  constructor(
    private readonly aggregates: AggregateStore,
    private readonly vault: SecretVault,
    private readonly deletions: Deletions,
    private readonly capped: CappedCreation,
  ) {}

  async execute(command: ConnectChannel): Promise<CommandOutcome> {
    const { ownerId, channelId: id } = command.channel;
    const rejection = await rejectDeletedOwner(this.aggregates, ownerId);
    if (rejection) return rejection;
    return this.capped.createWithinCap({ channels: ownerId }, { ownerId, id }, () => this.connect(command));
  }

  private async connect({ context, channel: { credentials, ...rest } }: ConnectChannel): Promise<CommandOutcome> {
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
