import { runStandIn } from '../kit/command-line.js';
import { startVkStandIn } from './vk-stand-in.js';

await runStandIn(startVkStandIn);
