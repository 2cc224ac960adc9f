import type { StandInDescriptor } from '../kit/descriptor.js';
import { DEMO_CHANNEL, startTelegramStandIn } from './telegram-stand-in.js';
import { THEME } from './theme.js';

/** Describes the Telegram stand-in. */
export const telegramStandIn: StandInDescriptor = {
  platform: 'telegram',
  theme: THEME,
  demoChannel: DEMO_CHANNEL,
  start: startTelegramStandIn,
};
