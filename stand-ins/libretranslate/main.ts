import { runStandIn } from '../kit/command-line.js';
import { startLibreTranslateStandIn } from './libre-translate-stand-in.js';

await runStandIn(startLibreTranslateStandIn);
