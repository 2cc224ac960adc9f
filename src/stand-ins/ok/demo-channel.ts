import type { DemoChannel } from '../kit/descriptor.js';

/** The demo's channel on OK. */
export const DEMO_CHANNEL: DemoChannel = {
  name: 'Harbour News',
  credentials: {
    application_key: 'DEMODEMODEMODEMO',
    application_secret: 'DEMODEMODEMODEMODEMODEMO',
    access_token: '-s-DemoDemoDemoDemoDemoDemoDemoDemo',
    group_id: '70000000000001',
  },
};
