import type { ChannelChange, Credentials, NewChannel } from '../../../commands/channel.js';
import {
  type Address,
  type ChannelSettings,
  type ChannelStatus,
  channelStatus,
  type Platform,
  type Remedy,
  type ShownAttention,
} from '../../../domain/channel/channel.events.js';
import { ifLater, type Instant, iso, isoOrNull } from '../../../kernel/clock.js';
import {
  type CredentialField,
  parseChatLink,
  type PlatformCatalogue,
  type PlatformDescriptor,
  type SettingField,
} from '../../../platforms/platform-catalogue.js';
import type { ChannelRow } from '../../../projections/discovery/discovery.tables.js';
import type { PublicationRow, PublicationViewState } from '../../../projections/posts/posts.tables.js';
import type { ChannelTraffic } from '../../../projections/publish-schedule/channel-traffic.queries.js';
import { asSent, checkObject, idText, nullToAbsent, ReadAs } from '../../../validation/check-fields.js';
import { type JsonSchema, Schema, schemaOf } from '../../../validation/json-schema.js';
import type { ProblemList } from '../../../validation/problem-list.js';
import { Must } from '../../../validation/rules.js';
import { type BodyReader, fieldsReader, isCursorOf, PageQuery } from '../../transport/fields.js';
import { BODY_MESSAGES, CHANNEL_MESSAGES } from '../messages.js';
import { type BodyField, createBodyClass, readPart } from '../request-body.js';
import type { ChannelTest } from './channels.controller.js';

/** Settings that channels have on every network, with their defaults (management-api.md: settings). */
const COMMON = {
  on_doubt: { kind: 'choice', values: ['hold', 'resend'], default: 'hold' },
  statistics: { kind: 'choice', values: ['on', 'off'], default: 'on' },
} as const satisfies PlatformDescriptor['settings'];

/**
 * Creates the reader for channel settings on one network. If only other networks have a setting, the error about it
 * names them (publish-api.md: Target; D-4).
 */
export const settingsReader = (
  platform: PlatformDescriptor,
  platforms: PlatformCatalogue,
): ((value: unknown, problems: ProblemList) => ChannelSettings | undefined) => {
  const foreign = Object.assign({}, ...platforms.all.map(({ settings }) => settings)) as PlatformDescriptor['settings'];
  const own = { ...COMMON, ...platform.settings };
  const fields = Object.entries({ ...foreign, ...own }).sort(([a], [b]) => (a < b ? -1 : 1));
  const Body = createBodyClass(Object.fromEntries(fields), settingField);
  const networksWith = (name: string): string =>
    platforms.all.flatMap(({ id, settings }) => (name in settings ? [id] : [])).join(', ');
  return (value, problems) => {
    const sent = Object.entries(readPart(value, 'settings', Body, problems) ?? {}).filter(([, v]) => v !== undefined);
    for (const [name] of sent.filter(([name]) => !(name in own)))
      problems.add(
        422,
        `settings.${name}`,
        'not_on_platform',
        BODY_MESSAGES.settingOfOthers({ platforms: networksWith(name), platform: platform.id }),
      );
    return value === undefined || value === null ? undefined : (Object.fromEntries(sent) as ChannelSettings);
  };
};

/** Returns the schema for channel settings on one network. */
export const describeSettings = ({ settings }: PlatformDescriptor): JsonSchema =>
  schemaOf(createBodyClass<SettingField>({ ...COMMON, ...settings }, settingField));

const settingField = (field: SettingField): BodyField => ({
  read: nullToAbsent,
  rules: [field.kind === 'choice' ? Must.beOneOf(field.values) : Must.beWithin(field.min, field.max)],
});

/** Returns the settings in effect, defaults included. @param platform undefined if the program does not know it */
export const effectiveSettings = (
  settings: ChannelSettings,
  platform: PlatformDescriptor | undefined,
): ChannelSettings => {
  const defaults = Object.entries({ ...COMMON, ...platform?.settings }).map(([name, field]) => [name, field.default]);
  return { ...(Object.fromEntries(defaults) as ChannelSettings), ...settings };
};

/** Creates the credentials class for a network: the fields that its descriptor declares, with their rules. */
export const createCredentialsBody = ({ credentials }: PlatformDescriptor) =>
  createBodyClass(credentials, credentialField);

const credentialField = (field: CredentialField): BodyField => {
  switch (field.kind) {
    case 'secret':
      return { read: nullToAbsent, rules: [Must.bePresent(field.example), Must.beCredential()] };
    case 'optional_secret':
      return { read: nullToAbsent, rules: [Must.beCredential()] };
    case 'address':
      return {
        read: (sent) => readAddress(field, idText(sent)),
        rules: [
          Must.bePresent(field.example),
          Must.match(field.form, field.inWords, field.names),
          // Numbers are accepted too.
          Schema.is(() => ({ type: ['string', 'integer'] })),
        ],
      };
  }
};

type AddressField = Extract<CredentialField, { kind: 'address' }>;

/** Returns the chat in a link; any other value, and a link to no chat, unchanged. */
const readAddress = ({ readLink }: AddressField, sent: unknown): unknown => {
  const link = typeof sent === 'string' && readLink ? parseChatLink(sent) : undefined;
  return (link && readLink?.(link)) ?? sent;
};

/** Creates the reader for a network's credentials: public address and secrets (management-api.md: credentials). */
export const credentialsReader = (
  platform: PlatformDescriptor,
): ((value: unknown, problems: ProblemList) => Credentials | undefined) => {
  const read = fieldsReader(createCredentialsBody(platform), 'credentials');
  const isAddress = (name: string): boolean => platform.credentials[name]?.kind === 'address';
  return (value, problems) => {
    if (!checkObject(value, 'credentials', problems)) return undefined;
    const sent = (Object.entries(read(value, problems)) as [string, string | undefined][]).filter(
      (field): field is [string, string] => field[1] !== undefined,
    );
    const secret = Object.fromEntries(sent.filter(([name]) => !isAddress(name)));
    const address = Object.fromEntries(sent.filter(([name]) => isAddress(name)));
    return { address: { ...address, ...platform.addressOf?.(secret) }, secret };
  };
};

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
  readonly readChannel: BodyReader<Omit<NewChannel, 'channelId' | 'ownerId'>>;
  /** Reads the body of PATCH /channels/{id} for a channel on this network. */
  readonly readChannelChange: (platform: Platform) => BodyReader<ChannelChange>;
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

/** A channel as returned by the API (management-api.md: Routes). Of its credentials, only the address is included. */
export class ChannelView {
  /** `tgt_…` */
  readonly id: string;
  readonly owner_id: string;
  readonly platform: Platform;
  readonly name: string;
  /** The public part of the credentials: the chat or group. */
  readonly address: Address;
  /** The settings in effect, defaults included. */
  readonly settings: ChannelSettings;
  readonly status: ChannelStatus;
  /** The refusal that holds the queue (D-26, D-50); null if there is none. */
  readonly attention: AttentionView | null;
  /** End of the channel's pause (ISO 8601, UTC); null if it is not paused. */
  readonly paused_until: string | null;
  /** `temp-pause`, `management` or `publication`; null if the channel is not paused. */
  readonly pause_source: string | null;
  /** Number of posts in its queue, up to 10,000. */
  readonly waiting: number;
  /** Time of its newest publication (ISO 8601, UTC); null if there is none. */
  readonly last_published_at: string | null;
  /** ISO 8601, UTC. */
  readonly created_at: string;

  constructor(row: ChannelRow, traffic: ChannelTraffic, now: Instant, platforms: PlatformCatalogue) {
    const isPaused = row.paused_until > now;
    this.id = row.channel_id;
    this.owner_id = row.owner_id;
    this.platform = row.platform;
    this.name = row.name;
    this.address = row.address;
    this.settings = effectiveSettings(row.settings, platforms.find(row.platform));
    this.status = channelStatus(row.enabled, row.attention ? Date.parse(row.attention.until) : 0, now);
    // A refusal holds the queue for 24 hours, or until new credentials or a retry (D-26, D-50).
    this.attention = ifLater(row.attention?.until, now) ? new AttentionView(row.id, row.attention!) : null;
    this.paused_until = isPaused ? iso(row.paused_until) : null;
    this.pause_source = isPaused ? row.pause_source : null;
    this.waiting = traffic.waiting;
    this.last_published_at = isoOrNull(traffic.lastPublishedAt);
    this.created_at = row.created_at;
  }
}

/** A possible mistake in a channel's setup that does not stop it from publishing. */
export interface ChannelWarning {
  readonly code: 'same_chat';
  /** The other channel. */
  readonly channel_id: string;
  readonly message: string;
}

/**
 * A channel with the test result for its new credentials, which are stored even if the test fails or there are
 * warnings.
 */
export type TestedChannelView = ChannelView & {
  readonly test: ChannelTest;
  readonly warnings: readonly ChannelWarning[];
};

/** The reason a channel cannot post, and how to fix it (D-50). */
export class AttentionView {
  /** For example `chat_not_found` or `credentials_missing`. */
  readonly code: string;
  /** Explains what was refused and what to do about it. */
  readonly message: string;
  /** The network's own message; null if it gave none. */
  readonly platform_says: string | null;
  /** Time of the refusal (ISO 8601, UTC). */
  readonly since: string;
  /** Possible remedies, most likely first. */
  readonly actions: readonly AttentionAction[];

  constructor(channelId: string, { code, message, platform_says, since, remedies }: ShownAttention) {
    this.code = code;
    this.message = message;
    this.platform_says = platform_says;
    this.since = since;
    this.actions = remedies.map((remedy) => actionFor(remedy, channelId, message));
  }
}

/** A remedy for the refusal. */
export interface AttentionAction {
  readonly code: Remedy;
  readonly message: string;
  /** Method and path of the call that applies it; null for a change that must be made on the network. */
  readonly call: string | null;
}

const actionFor = (code: Remedy, channelId: string, reason: string): AttentionAction => {
  const path = `/manage/v1/channels/${channelId}`;
  switch (code) {
    case 'fix_on_platform':
      return { code, message: reason, call: null };
    case 'replace_credentials':
      return { code, message: CHANNEL_MESSAGES.replaceCredentials, call: `PATCH ${path}` };
    case 'retry':
      return { code, message: CHANNEL_MESSAGES.retry, call: `POST ${path}/retry` };
  }
};

/** A publication in a channel's gapless sequence (D-37; management-api.md: Routes). */
export class ReceiptView {
  /** Number of the publication in its channel, from 1. */
  readonly sequence: number;
  readonly post_id: string;
  readonly publication_id: string;
  readonly state: PublicationViewState;
  /** Message ids on the network. */
  readonly message_ids: readonly string[];
  /** ISO 8601, UTC; null if it is not published. */
  readonly published_at: string | null;

  constructor(row: PublicationRow) {
    this.sequence = row.sequence!; // the list contains only numbered publications
    this.post_id = row.post_id;
    this.publication_id = row.publication_id;
    this.state = row.state;
    this.message_ids = row.message_ids;
    this.published_at = isoOrNull(row.published_at);
  }
}

/** Query parameters of a channel's receipts (D-37). */
export class ReceiptsQuery extends PageQuery {
  @isCursorOf('sequence')
  declare readonly cursor: string | undefined;

  /** First sequence number, inclusive. */
  @Must.match(/^\d{1,15}$/, 'a sequence number')
  readonly from: string | undefined;
}
