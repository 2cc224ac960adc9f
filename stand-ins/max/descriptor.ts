import type { StandInDescriptor } from '../kit/descriptor.js';
import { DEMO_CHANNEL, startMaxStandIn } from './max-stand-in.js';
import { THEME } from './theme.js';

/** Describes the MAX stand-in. */
export const maxStandIn: StandInDescriptor = {
  platform: 'max',
  theme: THEME,
  demoChannel: DEMO_CHANNEL,
  start: startMaxStandIn,
};
