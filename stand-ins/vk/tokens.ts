import { ApiError } from './api-error.js';

/** Kinds of access tokens with different rights (networks.md §1). */
export const TOKEN_KINDS = ['user', 'community', 'vk_id', 'revoked'] as const;
type TokenKind = (typeof TOKEN_KINDS)[number];

/**
 * Access tokens and their kinds. Unless a control sets its kind, a token is a VK ID token if it begins with `vk2.a.`, a
 * community token if it contains `community`, and a user token otherwise.
 */
export class Tokens {
  private readonly knownKinds = new Map<string, TokenKind>();
  private readonly withoutWall = new Set<string>();

  /** Sets whether a token may post on walls. */
  setWallRight(token: string, hasWall: boolean): void {
    if (hasWall) this.withoutWall.delete(token);
    else this.withoutWall.add(token);
  }

  hasWallRight(token: string): boolean {
    return !this.withoutWall.has(token);
  }

  set(token: string, kind: TokenKind): void {
    this.knownKinds.set(token, kind);
  }

  /** Returns the kind of a caller's token. @throws ApiError 5 or 1051 for a token without rights */
  authenticate(token: string): 'user' | 'community' {
    if (token === '') throw new ApiError(5, 'User authorization failed: no access_token passed.');
    const kind = this.knownKinds.get(token) ?? kindByForm(token);
    if (kind === 'revoked') throw new ApiError(5, 'User authorization failed: invalid access_token (4).');
    if (kind === 'vk_id') throw new ApiError(1051, 'Method is unavailable for this profile type');
    return kind;
  }
}

const kindByForm = (token: string): TokenKind => {
  if (token.startsWith('vk2.a.')) return 'vk_id';
  return token.includes('community') ? 'community' : 'user';
};
