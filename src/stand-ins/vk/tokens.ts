import { Refusal } from './refusal.js';

/** Kinds of access token: what each may do differs (networks.md §1). */
export const TOKEN_KINDS = ['user', 'community', 'vk_id', 'revoked'] as const;
/** Name of a kind of token. */
export type TokenKind = (typeof TOKEN_KINDS)[number];

/**
 * The tokens that are known. One that no control has told of is a community's where it has `community` in it, one of
 * VK ID where it begins with `vk2.a.`, else a user's.
 */
export class Tokens {
  private readonly told = new Map<string, TokenKind>();

  set(token: string, kind: TokenKind): void {
    this.told.set(token, kind);
  }

  /** The kind of a caller's token; {@link Refusal} 5 or 1051 where it opens nothing. */
  identify(token: string): 'user' | 'community' {
    if (token === '') throw new Refusal(5, 'User authorization failed: no access_token passed.');
    const kind = this.told.get(token) ?? kindByForm(token);
    if (kind === 'revoked') throw new Refusal(5, 'User authorization failed: invalid access_token (4).');
    if (kind === 'vk_id') throw new Refusal(1051, 'Method is unavailable for this profile type');
    return kind;
  }
}

const kindByForm = (token: string): TokenKind => {
  if (token.startsWith('vk2.a.')) return 'vk_id';
  return token.includes('community') ? 'community' : 'user';
};
