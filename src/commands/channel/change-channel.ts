import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { channel } from '../../domain/channel/channel.decider.js';
import type { ChannelSettings } from '../../domain/channel/channel.events.js';
import type { Execution } from '../../event-store/codec.js';
import { Streams } from '../../event-store/aggregate-store.js';
import { derivedUuid } from '../../kernel/ids.js';
import { SecretVault } from '../../secrets/vault.js';
import type { Credentials } from './connect-channel.js';
import { done, type Outcome } from '../command-result.js';

/** A channel's name, credentials, settings, or whether it takes posts; what is undefined stays. */
export class ChangeChannel extends Command<Outcome> {
  constructor(
    readonly execution: Execution,
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
    private readonly streams: Streams,
    private readonly vault: SecretVault,
  ) {}

  async execute({ execution, channelId, change: { credentials, ...rest } }: ChangeChannel): Promise<Outcome> {
    const replaced = credentials && {
      address: credentials.address,
      credentialsId: await this.vault.put(credentials.secret, derivedUuid(`${execution.commandId}/credentials`)),
    };
    const command = { type: 'ChangeChannel', channelId, ...rest, credentials: replaced } as const;
    return done(await this.streams.run(channel, channelId, command, execution));
  }
}
