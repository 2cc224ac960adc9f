import type { Dispatcher } from 'undici';
import { exchange, type Exchange } from '../exchange.js';
import type { SendContext, StepOutcome } from '../publisher.js';
import { outcomeWithoutAnswer } from '../unanswered-call.js';
import { classify } from './classify.js';
import { signatureOf } from './sign.js';

/** How calls reach OK. */
export interface OkConnection {
  /** What stands before `/fb.do`, without a slash at the end. */
  readonly apiUrl: string;
  readonly connections: Dispatcher;
  /** Milliseconds for one call, answer included. */
  readonly timeoutMs: number;
  /** Milliseconds for one upload, answer included. */
  readonly uploadTimeoutMs: number;
}

/** One call of a method. */
export interface OkCall {
  readonly method: string;
  readonly parameters: Readonly<Record<string, string>>;
  /** Whether readers would see what it does. */
  readonly visible: boolean;
}

/** What a method answered, or the outcome that its failure stands for. `last`: how the exchange ended. */
export type OkAnswer =
  | { readonly ok: true; readonly value: unknown; readonly last: Exchange }
  | { readonly ok: false; readonly outcome: StepOutcome };

/** Calls a method, signed; never throws. An answer is HTTP 200 whatever it says: `error_code` decides. */
export const callOk = async (
  { apiUrl, connections, timeoutMs }: OkConnection,
  { method, parameters, visible }: OkCall,
  { credentials, waits, signal }: Pick<SendContext, 'credentials' | 'waits' | 'signal'>,
): Promise<OkAnswer> => {
  const { application_key = '', application_secret = '', access_token = '' } = credentials;
  if (application_key === '' || application_secret === '' || access_token === '') {
    return { ok: false, outcome: missing };
  }
  const signed = { ...parameters, application_key, method, format: 'json' };
  const sig = signatureOf(signed, { accessToken: access_token, applicationSecret: application_secret });
  const last = await exchange(
    connections,
    {
      method: 'POST',
      url: `${apiUrl}/fb.do`,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ ...signed, access_token, sig }).toString(),
    },
    { timeoutMs, signal },
  );
  const value = last.kind === 'answered' ? jsonOf(last.body) : undefined;
  const errorCode = errorCodeOf(value);
  if (errorCode !== null) {
    const { error_msg: words } = value as { readonly error_msg?: unknown };
    const refusal = { errorCode, errorMsg: typeof words === 'string' ? words : '' };
    return { ok: false, outcome: classify(refusal, { visible, waits, credentials }) };
  }
  if (value === undefined || value === null || (last.kind === 'answered' && last.status !== 200)) {
    return { ok: false, outcome: unreadable(last, visible, credentials) };
  }
  return { ok: true, value, last };
};

/** The outcome of an answer that cannot be read, or of none (D-25). */
export const unreadable = (last: Exchange, visible: boolean, credentials: SendContext['credentials']): StepOutcome =>
  outcomeWithoutAnswer(last, { title: 'OK', platform: 'ok', visible, credentials });

/** Any JSON; undefined for anything else. */
export const jsonOf = (body: Buffer): unknown => {
  try {
    return JSON.parse(body.toString()) as unknown;
  } catch {
    return undefined;
  }
};

/** The code of an answer that is an error; null for any other. */
export const errorCodeOf = (value: unknown): number | null => {
  if (typeof value !== 'object' || value === null || !('error_code' in value)) return null;
  return Number.isInteger(Number(value.error_code)) ? Number(value.error_code) : null;
};

const missing: StepOutcome = {
  kind: 'credentials',
  error: {
    code: 'credentials_missing',
    category: 'credentials',
    source: 'gateway',
    message: "The channel lacks its access token or the application's key or secret: set the credentials anew.",
  },
};
