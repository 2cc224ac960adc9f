import { hash } from 'node:crypto';
import type { TextParameters } from '../kit/body.js';
import { ApiError } from './api-error.js';

/** States of a token. */
export const TOKEN_STATES = ['valid', 'expired', 'unknown', 'no_rights'] as const;
type TokenState = (typeof TOKEN_STATES)[number];

/**
 * Authenticates callers. If an application's secret is known, the signature must match (104); otherwise it only needs
 * to have the right format. Any token is valid unless a control changes its state.
 */
export class Applications {
  private readonly secrets = new Map<string, string>();
  private readonly tokens = new Map<string, TokenState>();

  addApplication(applicationKey: string, secret: string): void {
    this.secrets.set(applicationKey, secret);
  }

  setToken(token: string, state: TokenState): void {
    this.tokens.set(token, state);
  }

  /** Checks a caller's application, signature and token. @throws ApiError 101, 102, 103 or 104 */
  authenticate(parameters: TextParameters): void {
    const { application_key = '', access_token = '', sig = '' } = parameters;
    if (application_key === '') throw new ApiError(101, 'PARAM_API_KEY : Application not exist');
    if (access_token === '') throw new ApiError(103, 'PARAM_SESSION_KEY : Invalid session key');
    const secret = this.secrets.get(application_key);
    const isSignatureValid =
      secret === undefined ? /^[0-9a-f]{32}$/.test(sig) : sig === computeSignature(parameters, secret);
    if (!isSignatureValid) throw new ApiError(104, 'PARAM_SIGNATURE : Invalid signature');
    const state = this.tokens.get(access_token);
    if (state === 'expired') throw new ApiError(102, 'PARAM_SESSION_EXPIRED : Session expired');
    if (state === 'unknown') throw new ApiError(103, 'PARAM_SESSION_KEY : Invalid session key');
  }

  /** True if the token has the rights to publish content. */
  hasRights({ access_token = '' }: TextParameters): boolean {
    return this.tokens.get(access_token) !== 'no_rights';
  }
}

/**
 * Computes the signature: the MD5 of all sorted parameters except token and signature, followed by the MD5 of token and
 * secret (networks.md §1).
 */
const computeSignature = (parameters: TextParameters, secret: string): string => {
  const names = Object.keys(parameters)
    .filter((name) => name !== 'access_token' && name !== 'sig')
    .sort();
  const joined = names.map((name) => `${name}=${parameters[name]}`).join('');
  return md5(joined + md5(`${parameters['access_token']}${secret}`));
};

const md5 = (text: string): string => hash('md5', text);
