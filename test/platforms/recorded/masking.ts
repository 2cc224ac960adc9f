import { jsonIn } from '../wire/recorder.js';

/** What stands for a secret in a fixture. */
const MASK = '***';

/** Members of answers by which others could act or see: they are replaced by made-up values. */
const GIVEN_OUT: ReadonlySet<string> = new Set([
  ...['upload_url', 'fallback_upload_url', 'photo_ids', 'token', 'photo', 'hash', 'access_key'],
  ...['file_id', 'file_unique_id', 'thumb_hash', 'web_view_token', 'invite_link', 'email', 'phone'],
]);

/** Stands for the address of the server that replays a fixture. */
export const ORIGIN = '{{origin}}';

/**
 * Masks secrets in answers. A value that later calls refer to becomes a made-up one, the same wherever it occurs, so that
 * a fixture can be replayed.
 */
export class Masking {
  private readonly forms: readonly string[];
  private readonly madeUp = new Map<string, string>();

  /** @param secrets the credentials */
  constructor(secrets: readonly string[]) {
    this.forms = secrets.flatMap(formsOf).sort((a, b) => b.length - a.length);
  }

  /** Returns an answer's body without secrets. @param method of the call */
  maskAnswer(method: string, body: unknown): unknown {
    return this.mask(body, method === 'POST /uploads' ? ['url'] : [], false);
  }

  /** Returns a text in which no credential is left, in any form. */
  maskText(text: string): string {
    return this.forms.reduce((masked, form) => masked.replaceAll(form, MASK), text);
  }

  /** @throws Error if a text has a credential or a value that an answer gave out, in any form */
  assertMasked(text: string): void {
    const given = [...this.madeUp.keys()].flatMap(partsOf).filter((part) => part.length >= 12);
    if ([...this.forms, ...given.flatMap(formsOf)].some((form) => text.includes(form)))
      throw new Error('a secret would be written: nothing is');
  }

  private mask(value: unknown, addresses: readonly string[], isGivenOut: boolean): unknown {
    if (Array.isArray(value)) return (value as unknown[]).map((one) => this.mask(one, addresses, isGivenOut));
    if (typeof value === 'object' && value !== null) {
      return Object.fromEntries(
        Object.entries(value).map(([key, member]) => {
          const isSecret = isGivenOut || GIVEN_OUT.has(key) || addresses.includes(key);
          const isMap = key === 'photos' && typeof member === 'object' && member !== null && !Array.isArray(member);
          const inside = isMap
            ? Object.fromEntries(
                Object.entries(member as object).map(([id, one]) => [this.knownName(id), one as unknown]),
              )
            : (member as unknown);
          return [key, this.mask(inside, addresses, isSecret)];
        }),
      );
    }
    if (typeof value !== 'string') return value;
    if (!isGivenOut) return this.maskText(value).replace(/(https?:\/\/[^\s"?#]+)\?[^\s"#]+/g, `$1?${MASK}`);
    const within = jsonIn(value);
    return typeof within === 'object' && within !== null
      ? JSON.stringify(this.mask(within, addresses, true))
      : this.makeUp(value);
  }

  /** Returns what stands for a photo's key, which is its id, or a short name such as `pic0`. */
  private knownName(key: string): string {
    return key.length < 6 ? key : this.makeUp(key);
  }

  private makeUp(value: string): string {
    if (value === '') return value;
    const known = this.madeUp.get(value);
    if (known !== undefined) return known;
    const name = `masked-${this.madeUp.size + 1}`;
    const madeUp = /^https?:\/\//.test(value) ? `${ORIGIN}/${name}` : name;
    this.madeUp.set(value, madeUp);
    return madeUp;
  }
}

/** Returns a value; of an address also its path, and the values in its query. */
const partsOf = (value: string): readonly string[] => {
  if (!URL.canParse(value)) return [value];
  const { pathname, search, searchParams } = new URL(value);
  return [value, pathname + search, ...searchParams.values()];
};

/** Returns the forms in which a credential may occur: whole, its secret part, and encoded. */
const formsOf = (secret: string): readonly string[] => {
  const parts = [secret, ...(/^\d+:/.test(secret) ? [secret.slice(secret.indexOf(':') + 1)] : [])];
  const encoded = parts.flatMap((part) => [
    part,
    encodeURIComponent(part),
    new URLSearchParams({ x: part }).toString().slice(2),
    JSON.stringify(part).slice(1, -1),
    Buffer.from(part).toString('base64').replace(/=+$/, ''),
    Buffer.from(part).toString('base64url'),
    Buffer.from(part).toString('hex'),
  ]);
  return [...new Set(encoded)].filter((form) => form.length >= 6);
};
