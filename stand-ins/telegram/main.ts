import { runStandIn } from '../kit/command-line.js';
import { startTelegramStandIn } from './telegram-stand-in.js';

await runStandIn(startTelegramStandIn);
