import { runStandIn } from '../kit/server.js';
import { startOkStandIn } from './ok-stand-in.js';

await runStandIn(startOkStandIn);
