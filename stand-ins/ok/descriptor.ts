import type { StandInDescriptor } from '../kit/descriptor.js';
import { DEMO_CHANNEL, startOkStandIn } from './ok-stand-in.js';
import { THEME } from './theme.js';

/** Describes the OK stand-in. */
export const okStandIn: StandInDescriptor = {
  platform: 'ok',
  theme: THEME,
  demoChannel: DEMO_CHANNEL,
  start: startOkStandIn,
};
