import type { NETWORKS } from '../components/icon.js';

/** Id of a network. */
export type Network = (typeof NETWORKS)[number];

/** A credential field of a network. Its UI text is in credential-messages.ts. */
export interface CredentialField {
  readonly name: string;
  /** `address`: the chat or group, which is public. Secrets are never shown again. */
  readonly kind: 'secret' | 'optional_secret' | 'address';
}

/** The credentials of each network, in the order in which users obtain them. */
export const CREDENTIALS: Readonly<Record<Network, readonly CredentialField[]>> = {
  telegram: [
    { name: 'bot_token', kind: 'secret' },
    { name: 'chat_id', kind: 'address' },
  ],
  vk: [
    { name: 'access_token', kind: 'secret' },
    { name: 'group_id', kind: 'address' },
    { name: 'upload_token', kind: 'optional_secret' },
  ],
  max: [
    { name: 'access_token', kind: 'secret' },
    { name: 'chat_id', kind: 'address' },
  ],
  ok: [
    { name: 'application_key', kind: 'secret' },
    { name: 'application_secret', kind: 'secret' },
    { name: 'access_token', kind: 'secret' },
    { name: 'group_id', kind: 'address' },
  ],
};

/** Checks of what can be done with published posts; a channel without them publishes all the same. */
export const AFTER_PUBLISHING: ReadonlySet<string> = new Set(['withdraw', 'edit', 'statistics']);

/** Returns the names of the checks of publishing in a complete test, in order. */
export const expectedChecks = (network: string, hasUploadToken: boolean): readonly string[] => [
  'credentials',
  'chat',
  'rights',
  ...(network === 'vk' && hasUploadToken ? ['uploads'] : []),
];

/** True for a network of the demo, whose posts are on the gateway's walls. */
const isOnWall = (network: string): boolean =>
  (document.documentElement.dataset.walls ?? '').split(' ').includes(network);

/** Returns the public URL of a chat or group; null if it cannot be derived from the id. */
export const channelUrl = (network: string, address: Readonly<Record<string, string>>): string | null => {
  const { chat_id: chat = '', group_id: group = '' } = address;
  if (isOnWall(network)) return `${location.origin}/walls#${network}/${chat || group}`;
  if (network === 'telegram' && chat.startsWith('@')) return `https://t.me/${chat.slice(1)}`;
  if (network === 'vk' && group !== '') return `https://vk.com/club${group}`;
  if (network === 'ok' && group !== '') return `https://ok.ru/group/${group}`;
  return null;
};
