import type { DemoChannel } from '../kit/descriptor.js';

/** The demo's channel on MAX. */
export const DEMO_CHANNEL: DemoChannel = {
  name: 'Harbour News',
  credentials: { access_token: 'DemoDemoDemoDemoDemoDemoDemoDemo', chat_id: '-70912345678901' },
};
