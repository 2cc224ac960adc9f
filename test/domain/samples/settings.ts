import type { ChannelEvent } from '../../../src/domain/channel/channel.events.js';
import type { EndpointEvent } from '../../../src/domain/endpoint/endpoint.events.js';
import type { KeyEvent } from '../../../src/domain/key/key.events.js';
import type { OwnerEvent } from '../../../src/domain/owner/owner.events.js';
import type { ProjectEvent } from '../../../src/domain/project/project.events.js';
import type { SamplesOf } from '../samples.js';

const ownerId = 'own_0195931f3c007000a000000000000001';
const channelId = 'tgt_0195931f3c007000a000000000000002';
const projectId = 'prj_0195931f3c007000a000000000000003';
const endpointId = 'ep_0195931f3c007000a000000000000004';
const sha256 = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08';

const owner: SamplesOf<OwnerEvent> = {
  OwnerRegistered: [{ ownerId, name: 'Anna & "Söhne" 🌷', plan: 'pro', keyHash: sha256 }],
  OwnerRenamed: [{ ownerId, name: 'Анна' }],
  OwnerPlanChanged: [{ ownerId, plan: 'business' }],
  OwnerKeyRotated: [{ ownerId, keyHash: sha256 }],
  OwnerLocaleChanged: [{ ownerId, locale: 'ru' }],
  OwnerNoticeChatSet: [{ ownerId, chatId: '-1001234567890', secretId: 'sec_notice' }],
  OwnerNoticeChatRemoved: [{ ownerId }],
  PostPackAdded: [{ ownerId, posts: 500 }],
  OwnerDeleted: [{ ownerId }],
  OwnerContentErased: [{ ownerId, months: ['2026-05', '2026-06'] }],
};

const channel: SamplesOf<ChannelEvent> = {
  ChannelConnected: [
    {
      channelId,
      ownerId,
      platform: 'ok',
      name: 'News',
      address: { group_id: '70000001234567' },
      credentialsId: 'sec_ok',
      settings: { buttons: 'drop', on_doubt: 'resend', text_limit: 5_000 },
    },
  ],
  ChannelRenamed: [{ channelId, name: 'News of the day' }],
  ChannelCredentialsReplaced: [{ channelId, credentialsId: 'sec_ok_2', address: { group_id: '70000001234568' } }],
  ChannelSettingsChanged: [{ channelId, settings: { buttons: 'link' } }],
  ChannelMoved: [{ channelId, address: { chat_id: '-1009876543210' } }],
  ChannelEnabled: [{ channelId }],
  ChannelDisabled: [{ channelId }],
  ChannelDeleted: [{ channelId }],
  ChannelNeedsAttention: [
    {
      channelId,
      // Version 1 had neither the network's words nor remedies.
      attention: {
        code: 'credentials_refused',
        message: 'The network refuses the token.',
        platform_says: null,
        remedies: ['replace_credentials', 'retry'],
      },
      until: 1_742_040_000_000,
    },
    {
      channelId,
      attention: {
        code: 'chat_not_found',
        message: 'The network does not know this chat: add the bot to it.',
        platform_says: 'Bad Request: chat not found',
        remedies: ['fix_on_platform', 'retry', 'replace_credentials'],
      },
      until: 1_742_040_000_000,
    },
  ],
  ChannelAttentionCleared: [{ channelId }],
};

const project: SamplesOf<ProjectEvent> = {
  ProjectCreated: [
    {
      projectId,
      ownerId,
      name: 'Spring',
      channelIds: [channelId],
      processing: {
        filters: [{ mode: 'exclude', words: ['реклама'], platforms: ['vk'] }],
        footer: { marker: '--' },
        replacements: [{ from: 'colour', to: 'color', whole_word: true }],
        signature: { text: '© Spring', entities: [{ type: 'bold', offset: 2, length: 6 }] },
      },
    },
  ],
  ProjectDeleted: [{ projectId }],
  ProjectRenamed: [{ projectId, name: 'Autumn' }],
  ProjectChannelsChanged: [{ projectId, channelIds: [] }],
  ProjectProcessingChanged: [{ projectId, processing: { footer: { pattern: '(?m)^---$' } } }],
};

const endpoint: SamplesOf<EndpointEvent> = {
  EndpointCreated: [
    {
      endpointId,
      ownerId,
      slug: 'nT3kQ9wX2bLr',
      mode: 'live',
      tokenHash: sha256,
      signingSecretId: 'sec_signing',
      settings: {
        name: null,
        projectIds: [projectId],
        minInterval: 10,
        requireSignature: true,
        requireTimestamp: false,
        ipAllowlist: ['192.0.2.0/24', '2001:db8::/32'],
        verboseDiscovery: false,
        requiresApproval: false,
      },
    },
    {
      endpointId,
      ownerId,
      slug: 'nT3kQ9wX2bLr',
      mode: 'live',
      tokenHash: sha256,
      signingSecretId: 'sec_signing',
      settings: {
        name: 'Newsroom',
        projectIds: [projectId],
        minInterval: 10,
        requireSignature: true,
        requireTimestamp: false,
        ipAllowlist: ['192.0.2.0/24', '2001:db8::/32'],
        verboseDiscovery: false,
        requiresApproval: true,
      },
    },
  ],
  EndpointChanged: [{ endpointId, settings: { name: 'Newsroom', ipAllowlist: [] } }],
  EndpointTokenRotated: [{ endpointId, tokenHash: sha256 }],
  EndpointSlugRotated: [{ endpointId, slug: 'Zp8vB1yM5cHd', at: 1_741_953_600_000 }],
  EndpointSecretRotated: [
    {
      endpointId,
      signingSecretId: 'sec_signing_2',
      previousSecretId: 'sec_signing',
      previousUntil: 1_741_957_200_000,
    },
  ],
  EndpointDisabled: [{ endpointId, by: 'rate_limits', reason: 'Five violations within an hour.' }],
  EndpointEnabled: [{ endpointId }],
  EndpointDeleted: [{ endpointId }],
};

const keyId = 'key_0195931f3c007000a000000000000005';

const key: SamplesOf<KeyEvent> = {
  KeyIssued: [
    {
      keyId,
      ownerId,
      name: 'Anna',
      scopes: ['post', 'approve'],
      endpointIds: [endpointId],
      expiresAt: 1_741_957_200_000,
      keyHash: sha256,
    },
  ],
  KeyChanged: [{ keyId, name: 'Ann', scopes: ['read'], endpointIds: null, expiresAt: null }],
  KeyRotated: [{ keyId, keyHash: sha256, previousHash: sha256, previousUntil: 1_741_957_200_000 }],
  KeyRevoked: [{ keyId }],
};

/** Sample events of the configuration. */
export const settings = { ...key, ...owner, ...channel, ...project, ...endpoint };
