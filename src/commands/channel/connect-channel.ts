import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { channel } from '../../domain/channel/channel.decider.js';
import type { Address, ChannelSettings, Platform } from '../../domain/channel/channel.events.js';
import type { CommandContext } from '../../event-store/codec.js';
import { AggregateStore } from '../../event-store/aggregate-store.js';
import { deriveUuid } from '../../kernel/ids.js';
import { type Secret, SecretVault } from '../../secrets/vault.js';
import { toOutcome, type CommandOutcome } from '../command-result.js';

/** A channel's credentials, split into the public address and the part to encrypt. */
export interface Credentials {
  /** Chat or group (`chat_id`, `group_id`). */
  readonly address: Address;
  readonly secret: Secret;
}

/** Connects a new channel of an owner (D-3). */
export class ConnectChannel extends Command<CommandOutcome> {
  constructor(
    readonly context: CommandContext,
    readonly channel: {
      readonly channelId: string;
      readonly ownerId: string;
      readonly platform: Platform;
      readonly name: string;
      readonly credentials: Credentials;
      readonly settings: ChannelSettings;
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
  ) {}

  async execute({ context, channel: { credentials, ...rest } }: ConnectChannel): Promise<CommandOutcome> {
    const { address, secret } = credentials;
    const credentialsId = await this.vault.storeSecret(secret, deriveUuid(`${context.commandId}/credentials`));
    const command = { type: 'ConnectChannel', ...rest, address, credentialsId } as const;
    return toOutcome(await this.aggregates.execute(channel, rest.channelId, command, context));
  }
}
