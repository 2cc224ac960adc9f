import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { channel } from '../../domain/channel/channel.decider.js';
import type { ChannelSettings } from '../../domain/channel/channel.events.js';
import { AggregateStore } from '../../event-store/aggregate-store.js';
import type { CommandContext } from '../../event-store/codec.js';
import { streamOf } from '../../kernel/decider.js';
import { deriveUuid } from '../../kernel/ids.js';
import { SecretVault } from '../../secrets/vault.js';
import { type CommandOutcome, toOutcome } from '../command-result.js';
import type { Credentials } from './connect-channel.js';

/** Changes a channel's name, credentials or settings, or enables or disables it; undefined fields stay unchanged. */
export class ChangeChannel extends Command<CommandOutcome> {
  constructor(
    readonly context: CommandContext,
    readonly channelId: string,
    readonly change: {
      readonly name?: string;
      readonly credentials?: Credentials;
      readonly settings?: ChannelSettings;
      readonly enabled?: boolean;
    },
  ) {
    super();
  }
}

@CommandHandler(ChangeChannel)
export class ChangeChannelHandler implements ICommandHandler<ChangeChannel> {
  constructor(
    private readonly aggregates: AggregateStore,
    private readonly vault: SecretVault,
  ) {}

  async execute({ context, channelId, change: { credentials, ...rest } }: ChangeChannel): Promise<CommandOutcome> {
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
