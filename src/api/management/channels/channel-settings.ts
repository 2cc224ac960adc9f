import type { ChannelSettings } from '../../../domain/channel/channel.events.js';
import type { PlatformDescriptor, SettingField } from '../../../platforms/descriptor.js';
import type { PlatformCatalogue } from '../../../platforms/platform-catalogue.js';
import { nullToAbsent } from '../../../validation/absence.js';
import { type JsonSchema, schemaOf } from '../../../validation/json-schema.js';
import type { ProblemList } from '../../../validation/problem-list.js';
import { Must } from '../../../validation/rules.js';
import { type BodyField, createBodyClass } from '../body-class.js';
import { BODY_MESSAGES } from '../messages.js';
import { readPart } from '../request-body.js';

/** Settings that channels have on every network, with their defaults (management-api.md: settings). */
const COMMON = {
  on_doubt: { kind: 'choice', values: ['hold', 'resend'], default: 'hold' },
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
