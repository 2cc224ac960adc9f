import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type OkStandInOptions, startOkStandIn } from '../../../stand-ins/ok/ok-stand-in.js';
import { StandInControl } from '../../support/stand-in-control.js';

export const APPLICATION = { application_key: 'ABCDEFGHIGKLMNOPK', application_secret: 'ABC123DEF456GHI789JKL123' };
export const TOKEN = '-s-84W-s3egarWUsbkq-IWTucuedzTKT8VUXIA.s4Xx8IW7';

type Parameters = Readonly<Record<string, string>>;

/**
 * Starts an OK stand-in on a free port, with its own ledger and a known application. Returns functions that call it.
 */
export const startStandIn = async (options: Partial<OkStandInOptions> = {}) => {
  const folder = await mkdtemp(join(tmpdir(), 'crosspost-stand-in-'));
  const ledgerFile = options.ledgerFile ?? join(folder, 'ledger.jsonl');
  const standIn = await startOkStandIn({ port: 0, ledgerFile, ...options });
  const control = new StandInControl(standIn.url);
  await control.request('POST', 'applications', APPLICATION);
  return {
    url: standIn.url,
    ledgerFile,
    control,
    // eslint-disable-next-line @typescript-eslint/no-explicit-any -- each method has its own answer
    call: (method: string, parameters: Parameters): Promise<any> => callOk(standIn.url, { method, ...parameters }),
    end: () => standIn.stop(),
    stop: async () => {
      await standIn.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
};

/** Calls a method with a form, signed as the documentation describes unless the parameters contain a signature. */
export const callOk = async (url: string, more: Parameters): Promise<unknown> => {
  const { sig, ...fields } = more;
  const parameters = { application_key: APPLICATION.application_key, access_token: TOKEN, format: 'json', ...fields };
  const { access_token, ...signed } = parameters;
  const key = md5(access_token + APPLICATION.application_secret);
  const joined = Object.keys(signed)
    .sort()
    .map((name) => `${name}=${(signed as Parameters)[name]}`)
    .join('');
  const body = new URLSearchParams({ ...parameters, sig: sig ?? md5(joined + key) });
  const text = await (await fetch(`${url}/fb.do`, { method: 'POST', body })).text();
  return text === '' ? '' : (JSON.parse(text) as unknown);
};

/** Sends files to an address as fields of a form. */
export const uploadFiles = async (url: string, files: Readonly<Record<string, Uint8Array>>): Promise<string> => {
  const form = new FormData();
  for (const [field, bytes] of Object.entries(files)) form.set(field, new Blob([new Uint8Array(bytes)]), 'file.bin');
  return (await fetch(url, { method: 'POST', body: form })).text();
};

const md5 = (text: string): string => createHash('md5').update(text).digest('hex');
