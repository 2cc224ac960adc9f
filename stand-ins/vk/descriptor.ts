import type { StandInDescriptor } from '../kit/descriptor.js';
import { THEME } from './theme.js';
import { DEMO_CHANNEL, startVkStandIn } from './vk-stand-in.js';

/** Describes the VK stand-in. */
export const vkStandIn: StandInDescriptor = {
  platform: 'vk',
  theme: THEME,
  demoChannel: DEMO_CHANNEL,
  start: startVkStandIn,
};
