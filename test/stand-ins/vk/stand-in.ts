import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startVkStandIn, type VkStandInOptions } from '../../../stand-ins/vk/vk-stand-in.js';
import { StandInControl } from '../../support/stand-in-control.js';

export const COMMUNITY_TOKEN = 'vk1.a.community-Xm4Kq9TtLw2ZpR7sNc8VbJ3h';
export const USER_TOKEN = 'vk1.a.user-Qw8Lr3YtUz5XnM1kPd6FgS9j';

/** An answer of VK's API. */
export interface VkAnswer {
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- each method has its own response
  readonly response?: any;
  readonly error?: { readonly error_code: number; readonly error_msg: string };
}

/** Starts a VK stand-in on a free port, with its own ledger. Returns functions that call it. */
export const startStandIn = async (options: Partial<VkStandInOptions> = {}) => {
  const folder = await mkdtemp(join(tmpdir(), 'crosspost-stand-in-'));
  const ledgerFile = options.ledgerFile ?? join(folder, 'ledger.jsonl');
  const standIn = await startVkStandIn({ port: 0, ledgerFile, ...options });
  return {
    url: standIn.url,
    ledgerFile,
    control: new StandInControl(standIn.url),
    call: (method: string, parameters: Readonly<Record<string, string>>) => callVk(standIn.url, method, parameters),
    end: () => standIn.stop(),
    stop: async () => {
      await standIn.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
};

/** Calls a method with a form, with the token of a user unless the parameters contain another. */
export const callVk = async (
  url: string,
  method: string,
  parameters: Readonly<Record<string, string>>,
): Promise<VkAnswer> => {
  const body = new URLSearchParams({ access_token: USER_TOKEN, v: '5.199', ...parameters });
  const response = await fetch(`${url}/method/${method}`, { method: 'POST', body });
  return (await response.json()) as VkAnswer;
};

/** Sends a file to an address as a field of a form. */
export const uploadFile = async (url: string, field: string, bytes: Uint8Array): Promise<Record<string, string>> => {
  const form = new FormData();
  form.set(field, new Blob([new Uint8Array(bytes)]), 'file.bin');
  return (await (await fetch(url, { method: 'POST', body: form })).json()) as Record<string, string>;
};
