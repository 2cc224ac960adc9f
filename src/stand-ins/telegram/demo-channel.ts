import type { DemoChannel } from '../kit/descriptor.js';

/** The demo's channel on Telegram. */
export const DEMO_CHANNEL: DemoChannel = {
  name: 'Harbour News',
  credentials: { bot_token: '7000000001:DemoDemoDemoDemoDemoDemoDemoDemoDem', chat_id: '@harbour_news' },
};
