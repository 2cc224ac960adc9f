import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startLibreTranslateStandIn } from '../../../stand-ins/libretranslate/libre-translate-stand-in.js';
import { StandInControl } from '../../support/stand-in-control.js';

/** Starts a translation service on a free port. Returns functions that call it. */
export const startTranslator = async () => {
  const folder = await mkdtemp(join(tmpdir(), 'crosspost-translator-'));
  const standIn = await startLibreTranslateStandIn({ port: 0, ledgerFile: join(folder, 'ledger.jsonl') });
  return {
    url: standIn.url,
    control: new StandInControl(standIn.url),
    /** Returns the texts that it was asked to translate so far. */
    asked: async (): Promise<unknown[]> => {
      const { items } = await new StandInControl(standIn.url).listCalls({ method: 'POST /translate' });
      return items.map(({ request }) => request.q);
    },
    translate: async (fields: object): Promise<{ status: number; body: unknown }> => {
      const answer = await fetch(`${standIn.url}/translate`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(fields),
      });
      return { status: answer.status, body: await answer.json() };
    },
    stop: async () => {
      await standIn.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
};
export type TestTranslator = Awaited<ReturnType<typeof startTranslator>>;
