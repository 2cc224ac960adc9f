import { createHash } from 'node:crypto';
import { Refusal } from './refusal.js';

/** What a token opens. */
export const TOKEN_STATES = ['valid', 'expired', 'unknown', 'no_rights'] as const;
/** One of these. */
export type TokenState = (typeof TOKEN_STATES)[number];

type Parameters = Readonly<Record<string, string>>;

/**
 * Who may call. The signature of an application whose secret is known is computed anew and must fit (104); that of any
 * other application must at least be one in form. Any token is valid until a control says otherwise.
 */
export class Applications {
  private readonly secrets = new Map<string, string>();
  private readonly tokens = new Map<string, TokenState>();

  know(applicationKey: string, secret: string): void {
    this.secrets.set(applicationKey, secret);
  }

  setToken(token: string, state: TokenState): void {
    this.tokens.set(token, state);
  }

  /** A {@link Refusal} where the caller may not call: 101, 102, 103, 104 or 10. */
  admit(parameters: Parameters): void {
    const { application_key = '', access_token = '', sig = '' } = parameters;
    if (application_key === '') throw new Refusal(101, 'PARAM_API_KEY : Application not exist');
    if (access_token === '') throw new Refusal(103, 'PARAM_SESSION_KEY : Invalid session key');
    const secret = this.secrets.get(application_key);
    const fits = secret === undefined ? /^[0-9a-f]{32}$/.test(sig) : sig === signature(parameters, secret);
    if (!fits) throw new Refusal(104, 'PARAM_SIGNATURE : Invalid signature');
    const state = this.tokens.get(access_token);
    if (state === 'expired') throw new Refusal(102, 'PARAM_SESSION_EXPIRED : Session expired');
    if (state === 'unknown') throw new Refusal(103, 'PARAM_SESSION_KEY : Invalid session key');
    if (state === 'no_rights') throw new Refusal(10, 'PERMISSION_DENIED : User must grant an access to permission');
  }
}

/** MD5 over everything but the token and the signature itself, by name, and a key of token and secret. */
const signature = (parameters: Parameters, secret: string): string => {
  const names = Object.keys(parameters)
    .filter((name) => name !== 'access_token' && name !== 'sig')
    .sort();
  const joined = names.map((name) => `${name}=${parameters[name]}`).join('');
  return md5(joined + md5(`${parameters['access_token']}${secret}`));
};

const md5 = (text: string): string => createHash('md5').update(text, 'utf8').digest('hex');
