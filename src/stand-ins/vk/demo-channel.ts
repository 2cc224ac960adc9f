import type { DemoChannel } from '../kit/descriptor.js';

/** The demo's channel on VK. */
export const DEMO_CHANNEL: DemoChannel = {
  name: 'Harbour News',
  credentials: {
    access_token: 'vk1.a.community-DemoDemoDemoDemoDemoDemo',
    upload_token: 'vk1.a.user-DemoDemoDemoDemoDemoDemo',
    group_id: '220000001',
  },
};
