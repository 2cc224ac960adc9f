import { runStandIn } from '../kit/server.js';
import { startTelegramStandIn } from './telegram-stand-in.js';

await runStandIn(startTelegramStandIn);
