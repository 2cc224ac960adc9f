import type { Credentials } from '../../../commands/channel/connect-channel.js';
import { type ChannelSettings, type Platform, PLATFORMS } from '../../../domain/channel/channel.events.js';
import { given } from '../../../validation/absence.js';
import type { Sent } from '../../../validation/check-fields.js';
import { LIMITS } from '../../../payload/payload.js';
import type { ProblemList } from '../../../validation/problem-list.js';
import { Must } from '../../../validation/rules.js';
import { fieldsOf, readPart, type Reader } from '../request-body.js';
import { Is } from '../rules.js';
import { readCredentials } from './credentials.js';

class ChannelFields {
  readonly owner_id: unknown;

  @Must.beOneOf(PLATFORMS)
  @Must.bePresent(`one of ${PLATFORMS.join(', ')}`)
  readonly platform: Platform;

  @Is.name()
  @Must.bePresent('a name for people, such as "Acme news"')
  readonly name: string;

  @Must.bePresent('what the network asks for: a token and the id of the chat or group')
  readonly credentials: unknown;

  readonly settings: unknown;

  constructor(sent: Sent) {
    this.owner_id = sent.owner_id;
    this.platform = given(sent.platform) as Platform;
    this.name = given(sent.name) as string;
    this.credentials = given(sent.credentials);
    this.settings = given(sent.settings);
  }
}

class ChannelPatch {
  @Is.name()
  readonly name: string | undefined;

  readonly credentials: unknown;

  readonly settings: unknown;

  @Must.beBoolean()
  readonly enabled: boolean | undefined;

  constructor(sent: Sent) {
    this.name = given(sent.name) as string | undefined;
    this.credentials = given(sent.credentials);
    this.settings = given(sent.settings);
    this.enabled = given(sent.enabled) as boolean | undefined;
  }
}

class SettingsDraft {
  @Must.beOneOf(['link', 'drop'])
  readonly buttons: ChannelSettings['buttons'];

  @Must.beOneOf(['hold', 'resend'])
  readonly on_doubt: ChannelSettings['on_doubt'];

  @Is.integer(1, LIMITS.text)
  readonly text_limit: ChannelSettings['text_limit'];

  constructor(sent: Sent) {
    this.buttons = given(sent.buttons) as ChannelSettings['buttons'];
    this.on_doubt = given(sent.on_doubt) as ChannelSettings['on_doubt'];
    this.text_limit = given(sent.text_limit) as ChannelSettings['text_limit'];
  }
}

/** Settings that only Odnoklassniki has (publish-api.md: Target; D-4). */
const OK_ONLY = ['buttons', 'text_limit'] as const;

/** Body of POST /channels. */
export interface ChannelDraft {
  readonly platform: Platform;
  readonly name: string;
  readonly credentials: Credentials;
  readonly settings: ChannelSettings;
}

/** Body of POST /channels. */
export const readChannel: Reader<ChannelDraft> = (sent, problems) => {
  const { platform, name, credentials, settings } = fieldsOf(ChannelFields)(sent, problems);
  const known = PLATFORMS.includes(platform);
  return {
    platform,
    name,
    // A problem is told where it is missing, and then nobody sees the draft.
    credentials: (known && credentials !== undefined
      ? readCredentials(platform, credentials, problems)
      : undefined) as Credentials,
    settings: (known && readSettings(platform, settings, problems)) || {},
  };
};

/** Body of PATCH /channels/{id}. */
export interface ChannelChange {
  readonly name?: string;
  readonly credentials?: Credentials;
  readonly settings?: ChannelSettings;
  readonly enabled?: boolean;
}

/** @param platform of the channel: credentials and settings depend on it */
export const readChannelChange =
  (platform: Platform): Reader<ChannelChange> =>
  (sent, problems) => {
    const { name, credentials, settings, enabled } = fieldsOf(ChannelPatch)(sent, problems);
    return {
      name,
      credentials: credentials === undefined ? undefined : readCredentials(platform, credentials, problems),
      settings: readSettings(platform, settings, problems),
      enabled,
    };
  };

const readSettings = (platform: Platform, value: unknown, problems: ProblemList): ChannelSettings | undefined => {
  const draft = readPart(value, 'settings', SettingsDraft, problems);
  if (!draft) return undefined;
  for (const name of OK_ONLY)
    if (platform !== 'ok' && draft[name] !== undefined)
      problems.add(
        422,
        `settings.${name}`,
        'not_on_platform',
        `is a setting of ok alone; this channel is on ${platform}`,
      );
  return Object.fromEntries(Object.entries(draft).filter(([, sent]) => sent !== undefined));
};
