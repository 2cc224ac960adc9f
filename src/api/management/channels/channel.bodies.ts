import type { ChangeChannel } from '../../../commands/channel/change-channel.js';
import type { ConnectChannel, Credentials } from '../../../commands/channel/connect-channel.js';
import type { Platform } from '../../../domain/channel/channel.events.js';
import type { PlatformCatalogue } from '../../../platforms/platform-catalogue.js';
import { asSent } from '../../../validation/absence.js';
import { type JsonSchema, Schema, schemaOf } from '../../../validation/json-schema.js';
import { ReadAs } from '../../../validation/read-fields.js';
import { Must } from '../../../validation/rules.js';
import { type BodyReader, fieldsReader } from '../../transport/fields.js';
import { describeSettings, settingsReader } from './channel-settings.js';
import { createCredentialsBody, credentialsReader } from './credentials.js';

/** Creates the body class for POST /channels, given the available networks. */
const createChannelBody = (platforms: readonly string[]) => {
  class ChannelBody {
    /** Required with the operator's key; may be omitted with an owner's. */
    @ReadAs(asSent)
    @Schema.is(() => ({ type: 'string', pattern: '^own_' }))
    readonly owner_id: unknown;

    @Must.beOneOf(platforms)
    @Must.bePresent(`one of ${platforms.join(', ')}`)
    readonly platform!: Platform;

    @Must.beName()
    @Must.bePresent('a name for people, such as "Acme news"')
    readonly name!: string;

    @Must.bePresent('what the network asks for: a token and the id of the chat or group')
    readonly credentials: unknown;

    readonly settings: unknown;
  }
  return ChannelBody;
};

/** Fields of PATCH /channels/{id}; `credentials` and `settings` depend on the channel's network. */
export class ChannelPatchBody {
  @Must.beName()
  readonly name: string | undefined;

  @Schema.is(() => ({ type: 'object' }))
  readonly credentials: unknown;

  @Schema.is(() => ({ type: 'object' }))
  readonly settings: unknown;

  @Must.beBoolean()
  readonly enabled: boolean | undefined;
}

/** Body readers. Credentials and settings are validated by the rules of the channel's network. */
export interface ChannelReaders {
  /** Reads the body of POST /channels. */
  readonly readChannel: BodyReader<Omit<ConnectChannel['channel'], 'channelId' | 'ownerId'>>;
  /** Reads the body of PATCH /channels/{id} for a channel on this network. */
  readonly readChannelChange: (platform: Platform) => BodyReader<ChangeChannel['change']>;
}

/** Creates the readers. Call this once: class-validator keeps the rules of every class. */
export const createChannelReaders = (platforms: PlatformCatalogue): ChannelReaders => {
  const readFields = fieldsReader(createChannelBody(platforms.ids));
  const parts = new Map(
    platforms.all.map((platform) => [
      platform.id,
      { readCredentials: credentialsReader(platform), readSettings: settingsReader(platform, platforms) },
    ]),
  );
  return {
    readChannel: (sent, problems) => {
      const { platform, name, credentials, settings } = readFields(sent, problems);
      const read = parts.get(platform);
      return {
        platform,
        name,
        // If they are missing, a problem is reported, so the result is not used.
        credentials: (credentials === undefined
          ? undefined
          : read?.readCredentials(credentials, problems)) as Credentials,
        settings: read?.readSettings(settings, problems) ?? {},
      };
    },
    readChannelChange: (platform) => (sent, problems) => {
      const { name, credentials, settings, enabled } = fieldsReader(ChannelPatchBody)(sent, problems);
      const read = parts.get(platforms.get(platform).id);
      return {
        name,
        credentials: credentials === undefined ? undefined : read?.readCredentials(credentials, problems),
        settings: read?.readSettings(settings, problems),
        enabled,
      };
    },
  };
};

/** Returns the body schema for POST /channels, in which credentials and settings depend on the network. */
export const describeNewChannel = ({ platforms }: { readonly platforms: PlatformCatalogue }): JsonSchema => {
  const schema = schemaOf(createChannelBody(platforms.ids));
  const fields = schema.properties as Readonly<Record<string, JsonSchema>>;
  return {
    oneOf: platforms.all.map((platform) => ({
      ...schema,
      title: platform.title,
      properties: {
        ...fields,
        platform: { const: platform.id },
        credentials: schemaOf(createCredentialsBody(platform)),
        settings: describeSettings(platform),
      },
    })),
  };
};
