import { runStandIn } from '../kit/command-line.js';
import { startOkStandIn } from './ok-stand-in.js';

await runStandIn(startOkStandIn);
