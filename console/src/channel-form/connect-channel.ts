import { type Api, management } from '../api/management.js';
import { missingProblem, type Problems } from '../api/problems.js';
import { refreshChannel } from '../channels/refresh-channel.js';
import type { CredentialValues } from './credential-fields.js';
import { CREDENTIALS, type Network } from './networks.js';
import { settingsBody, type SettingValues } from './setting-fields.js';

/** A channel to connect, as entered in the form. */
export interface ChannelDraft {
  readonly network: Network;
  readonly name: string;
  readonly credentials: CredentialValues;
  readonly settings: SettingValues;
  /** Chosen by the operator; empty if the owner is already known. */
  readonly ownerId: string;
}

/** Returns the credentials for a request body: trimmed, and without empty optional fields. */
export const credentialsBody = (network: Network, values: CredentialValues): Readonly<Record<string, string>> =>
  Object.fromEntries(
    CREDENTIALS[network]
      .map(({ name, kind }) => ({ name, kind, value: (values[name] ?? '').trim() }))
      .filter(({ kind, value }) => value !== '' || kind !== 'optional_secret')
      .map(({ name, value }) => [name, value]),
  );

/** Returns a problem for each empty required field, so that the form can report them without calling the gateway. */
export const findMissing = (network: Network, credentials: CredentialValues, name?: string): Problems => {
  const isBlank = (value: string | undefined): boolean => (value ?? '').trim() === '';
  const required = CREDENTIALS[network].filter(({ kind }) => kind !== 'optional_secret');
  return Object.assign(
    {},
    ...(name !== undefined && isBlank(name) ? [missingProblem('name')] : []),
    ...required
      .filter((field) => isBlank(credentials[field.name]))
      .map((field) => missingProblem(`credentials.${field.name}`)),
  ) as Problems;
};

/** Connects a channel. The response includes the test result, which may be a failure. */
export const connectChannel = async (draft: ChannelDraft): Promise<Api<'TestedChannel'>> => {
  const { network, name, settings, ownerId } = draft;
  const body = {
    platform: network,
    name: name.trim(),
    credentials: credentialsBody(network, draft.credentials),
    settings: settingsBody(network, settings),
    ...(ownerId !== '' && { owner_id: ownerId }),
  };
  // The body's fields depend on the chosen network, which the type cannot express.
  const created = await management().post('/channels', { body: body as never });
  await refreshChannel();
  return created;
};

/** Replaces a channel's credentials, and its name and settings if given. The response includes the test result. */
export const changeCredentials = async (
  id: string,
  network: Network,
  credentials: CredentialValues,
  more: { readonly name?: string; readonly settings?: SettingValues } = {},
): Promise<Api<'TestedChannel'>> => {
  const { name, settings } = more;
  const changed = await management().patch('/channels/{id}', {
    path: { id },
    body: {
      credentials: credentialsBody(network, credentials),
      ...(name !== undefined && { name: name.trim() }),
      ...(settings && { settings: { ...settingsBody(network, settings) } }),
    },
  });
  await refreshChannel();
  return changed as Api<'TestedChannel'>; // always includes the test result if credentials were sent
};
