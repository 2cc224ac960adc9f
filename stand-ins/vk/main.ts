import { runStandIn } from '../kit/server.js';
import { startVkStandIn } from './vk-stand-in.js';

await runStandIn(startVkStandIn);
