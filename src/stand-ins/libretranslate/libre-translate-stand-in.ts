import { Ledger } from '../kit/ledger.js';
import { serveStandIn, type RunningStandIn, type StandInOptions } from '../kit/server.js';
import { LibreTranslateService } from './libre-translate-service.js';

/**
 * Starts a server that answers like LibreTranslate: `POST /translate`, `GET /languages`. Its translations can be seen to
 * be some: every word has the language behind it. It has no readers, so that its ledger stays empty.
 */
export const startLibreTranslateStandIn = async (options: StandInOptions): Promise<RunningStandIn> => {
  const ledger = await Ledger.open({ file: options.ledgerFile, platform: 'libretranslate' });
  try {
    return await serveStandIn({ network: new LibreTranslateService(), ledger }, options);
  } catch (error) {
    await ledger.close();
    throw error;
  }
};
