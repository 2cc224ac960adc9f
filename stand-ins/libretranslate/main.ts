import { runStandIn } from '../kit/server.js';
import { startLibreTranslateStandIn } from './libre-translate-stand-in.js';

await runStandIn(startLibreTranslateStandIn);
