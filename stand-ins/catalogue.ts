import type { StandInDescriptor } from './kit/network.js';
import { maxStandIn } from './max/max-stand-in.js';
import { okStandIn } from './ok/ok-stand-in.js';
import { telegramStandIn } from './telegram/telegram-stand-in.js';
import { vkStandIn } from './vk/vk-stand-in.js';

/** The stand-ins for all networks, in the order that their walls are shown. */
export const STAND_INS: readonly StandInDescriptor[] = [telegramStandIn, vkStandIn, maxStandIn, okStandIn];
