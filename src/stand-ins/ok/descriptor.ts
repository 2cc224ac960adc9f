import type { StandInDescriptor } from '../kit/descriptor.js';
import { DEMO_CHANNEL } from './demo-channel.js';
import { startOkStandIn } from './ok-stand-in.js';
import { THEME } from './theme.js';

/** The stand-in of OK. */
export const okStandIn: StandInDescriptor = {
  platform: 'ok',
  theme: THEME,
  demoChannel: DEMO_CHANNEL,
  start: startOkStandIn,
};
