import type { StandInDescriptor } from './kit/descriptor.js';
import { maxStandIn } from './max/descriptor.js';
import { okStandIn } from './ok/descriptor.js';
import { telegramStandIn } from './telegram/descriptor.js';
import { vkStandIn } from './vk/descriptor.js';

/** The stand-ins for all networks, in the order that their walls are shown. */
export const STAND_INS: readonly StandInDescriptor[] = [telegramStandIn, vkStandIn, maxStandIn, okStandIn];
