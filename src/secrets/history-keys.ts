import { hkdfSync } from 'node:crypto';

/** Keys of the transparency log. They stay the same when SECRETS_KEY is replaced. */
export interface HistoryKeys {
  /** Seed of the key that signs checkpoints, unless HISTORY_KEY is set; 32 bytes. */
  readonly signingKey: Buffer;
  /** Key for the seals (ADR-143). */
  readonly sealKey: Buffer;
}

/** Derives the history keys from the first SECRETS_KEY of the database (management-api.md: HISTORY_KEY). */
export const deriveHistoryKeys = (secretsKey: Buffer): HistoryKeys => {
  const derive = (purpose: string): Buffer => Buffer.from(hkdfSync('sha256', secretsKey, '', purpose, 32));
  return { signingKey: derive('crosspost history key'), sealKey: derive('crosspost history seal') };
};

/** Returns the keys as text, to be sealed. */
export const serializeHistoryKeys = ({ signingKey, sealKey }: HistoryKeys): string =>
  JSON.stringify({ signing: signingKey.toString('base64'), seal: sealKey.toString('base64') });

/** Parses the result of {@link serializeHistoryKeys}. */
export const parseHistoryKeys = (text: string): HistoryKeys => {
  const { signing, seal } = JSON.parse(text) as { readonly signing: string; readonly seal: string };
  return { signingKey: Buffer.from(signing, 'base64'), sealKey: Buffer.from(seal, 'base64') };
};
