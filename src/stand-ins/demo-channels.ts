/** A channel that the demo begins with: one on each network that has a stand-in. */
export interface DemoChannel {
  readonly platform: string;
  readonly name: string;
  readonly credentials: Readonly<Record<string, string>>;
}

/** Made-up credentials, as the stand-ins take them. */
export const DEMO_CHANNELS: readonly DemoChannel[] = [
  {
    platform: 'telegram',
    name: 'Harbour News',
    credentials: { bot_token: '7000000001:DemoDemoDemoDemoDemoDemoDemoDemoDem', chat_id: '@harbour_news' },
  },
  {
    platform: 'vk',
    name: 'Harbour News',
    credentials: {
      access_token: 'vk1.a.community-DemoDemoDemoDemoDemoDemo',
      upload_token: 'vk1.a.user-DemoDemoDemoDemoDemoDemo',
      group_id: '220000001',
    },
  },
  {
    platform: 'max',
    name: 'Harbour News',
    credentials: { access_token: 'DemoDemoDemoDemoDemoDemoDemoDemo', chat_id: '-70912345678901' },
  },
  {
    platform: 'ok',
    name: 'Harbour News',
    credentials: {
      application_key: 'DEMODEMODEMODEMO',
      application_secret: 'DEMODEMODEMODEMODEMODEMO',
      access_token: '-s-DemoDemoDemoDemoDemoDemoDemoDemo',
      group_id: '70000000000001',
    },
  },
];
