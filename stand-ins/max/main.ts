import { runStandIn } from '../kit/server.js';
import { startMaxStandIn } from './max-stand-in.js';

await runStandIn(startMaxStandIn);
