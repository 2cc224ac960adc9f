import type { PlatformDescriptor } from '../descriptor.js';
import type { PlatformChannel } from '../publisher.js';
import { TITLE, VK_LIMITS } from './limits.js';
import { VK_EXAMPLES } from './messages.js';
import { createVkPublisher } from './vk-publisher.js';

/** VK: posts appear on the walls of communities. */
export const vk: PlatformDescriptor = {
  id: 'vk',
  title: TITLE,
  baseUrl: { setting: 'VK_API_URL', path: '/method/…', default: 'https://api.vk.ru' },
  credentials: {
    access_token: { kind: 'secret', example: "the community's access token" },
    /** A user token for uploads, because community tokens do not allow them (networks.md: VK). */
    upload_token: { kind: 'optional_secret' },
    group_id: {
      kind: 'address',
      form: /^[1-9]\d{0,19}$/,
      inWords: VK_EXAMPLES.groupId,
      example: VK_EXAMPLES.groupId,
    },
  },
  // It is no secret whether there is an upload token, and rendering depends on it (D-22).
  addressOf: (secret): PlatformChannel['address'] => ('upload_token' in secret ? { uploads: 'user_token' } : {}),
  settings: {},
  limits: VK_LIMITS,
  preview: { always: true, address: { group_id: '0' } },
  createPublisher: createVkPublisher,
};
