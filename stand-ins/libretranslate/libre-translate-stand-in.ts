import { Ledger } from '../kit/ledger.js';
import { type RunningStandIn, serveStandIn, type StandInOptions } from '../kit/server.js';
import { LibreTranslateService } from './libre-translate-service.js';

/**
 * Starts a server that behaves like LibreTranslate: `POST /translate`, `GET /languages`. It marks every translated word
 * with the language code. The service has no readers, so its ledger stays empty.
 */
export const startLibreTranslateStandIn = async (options: StandInOptions): Promise<RunningStandIn> => {
  const ledger = await Ledger.open({ file: options.ledgerFile, platform: 'libretranslate' });
  return serveStandIn({ network: new LibreTranslateService(), ledger }, options);
};
