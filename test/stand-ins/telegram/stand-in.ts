import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startTelegramStandIn, type TelegramStandInOptions } from '../../../stand-ins/telegram/telegram-stand-in.js';
import { StandInControl } from '../../support/stand-in-control.js';

export const TOKEN = '123456:ABC-DEF1234ghIkl-zyx57W2v1u123ew11';

/** An answer of the Bot API. */
export interface BotAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: {
    readonly ok: boolean;
    readonly error_code?: number;
    readonly description?: string;
    readonly parameters?: { retry_after?: number; migrate_to_chat_id?: number };
    // eslint-disable-next-line @typescript-eslint/no-explicit-any -- each method has its own result
    readonly result?: any;
  };
}

/** Starts a Telegram stand-in on a free port, with its own ledger. Returns functions that call it. */
export const startStandIn = async (options: Partial<TelegramStandInOptions> = {}) => {
  const folder = await mkdtemp(join(tmpdir(), 'crosspost-stand-in-'));
  const ledgerFile = options.ledgerFile ?? join(folder, 'ledger.jsonl');
  const standIn = await startTelegramStandIn({ port: 0, ledgerFile, ...options });
  return {
    url: standIn.url,
    ledgerFile,
    control: new StandInControl(standIn.url),
    call: (method: string, parameters: object) => callBot(standIn.url, method, parameters),
    stop: async () => {
      await standIn.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
};

/** Calls a method with a JSON body. */
export const callBot = (url: string, method: string, parameters: object, token = TOKEN): Promise<BotAnswer> =>
  fetchBot(`${url}/bot${token}/${method}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(parameters),
  });

/** Sends any request to an address. */
export const fetchBot = async (url: string, init?: RequestInit): Promise<BotAnswer> => {
  const response = await fetch(url, init);
  return { status: response.status, headers: response.headers, body: (await response.json()) as BotAnswer['body'] };
};
