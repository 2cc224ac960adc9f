import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startMaxStandIn } from '../../../stand-ins/max/max-stand-in.js';
import { StandInControl } from '../../support/stand-in-control.js';

export const TOKEN = 'f9LHodD0cOIZY-tests-tests';
export const CHAT = '-70912345678901';

/** Starts a MAX stand-in on a free port, with its own ledger. Returns functions that call it. */
export const startStandIn = async (options: { readonly ledgerFile?: string } = {}) => {
  const folder = await mkdtemp(join(tmpdir(), 'crosspost-max-'));
  const ledgerFile = options.ledgerFile ?? join(folder, 'ledger.jsonl');
  const standIn = await startMaxStandIn({ port: 0, ledgerFile });
  const call = async (method: string, path: string, body?: object, headers: Record<string, string> = {}) => {
    const response = await fetch(`${standIn.url}${path}`, {
      method,
      headers: { authorization: TOKEN, ...(body ? { 'content-type': 'application/json' } : {}), ...headers },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    // eslint-disable-next-line @typescript-eslint/no-explicit-any -- each call has its own answer
    return { status: response.status, headers: response.headers, body: (await response.json()) as any };
  };
  return {
    url: standIn.url,
    ledgerFile,
    control: new StandInControl(standIn.url),
    call,
    post: (body: object, chat = CHAT) => call('POST', `/messages?chat_id=${chat}`, body),
    /** Uploads bytes as a type. Returns the answer of the upload address and the token of the upload. */
    upload: async (type: string, bytes: Buffer, filename: string) => {
      const { body: address } = await call('POST', `/uploads?type=${type}`);
      const form = new FormData();
      form.set('data', new Blob([new Uint8Array(bytes)]), filename);
      const response = await fetch(address.url, { method: 'POST', body: form });
      const text = await response.text();
      const token = (/"token":"([^"]+)"/.exec(text)?.[1] ?? address.token) as string;
      return { status: response.status, text, early: address.token as string | undefined, token };
    },
    stop: async () => {
      await standIn.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
};
