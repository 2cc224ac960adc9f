import { runStandIn } from '../kit/command-line.js';
import { startMaxStandIn } from './max-stand-in.js';

await runStandIn(startMaxStandIn);
