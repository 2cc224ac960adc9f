import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { channel } from '../../domain/channel/channel.decider.js';
import type { Address, ChannelSettings, Platform } from '../../domain/channel/channel.events.js';
import type { Execution } from '../../event-store/codec.js';
import { Streams } from '../../event-store/aggregate-store.js';
import { derivedUuid } from '../../kernel/ids.js';
import { type Secret, SecretVault } from '../../secrets/vault.js';
import { done, type Outcome } from '../command-result.js';

/** A channel's credentials, parted: what is public, and what is sealed. */
export interface Credentials {
  /** chat_id or group_id. */
  readonly address: Address;
  readonly secret: Secret;
}

/** A new channel of an owner (D-3). */
export class ConnectChannel extends Command<Outcome> {
  constructor(
    readonly execution: Execution,
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
    private readonly streams: Streams,
    private readonly vault: SecretVault,
  ) {}

  async execute({ execution, channel: { credentials, ...rest } }: ConnectChannel): Promise<Outcome> {
    const { address, secret } = credentials;
    const credentialsId = await this.vault.put(secret, derivedUuid(`${execution.commandId}/credentials`));
    const command = { type: 'ConnectChannel', ...rest, address, credentialsId } as const;
    return done(await this.streams.run(channel, rest.channelId, command, execution));
  }
}
