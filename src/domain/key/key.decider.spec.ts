import { spec } from '../../../test/support/given-when-then.js';
import type { Scope } from '../../kernel/events.js';
import { key } from './key.decider.js';
import type { KeyEvent, KeySettings } from './key.events.js';

const keyId = 'key_1';
const T = Date.UTC(2026, 2, 14, 12);
const settings: KeySettings = { name: 'Anna', scopes: ['post'], endpointIds: ['ep_1'], expiresAt: null };
const issued = (change: Partial<KeySettings> = {}): KeyEvent => ({
  type: 'KeyIssued',
  data: { keyId, ownerId: 'own_1', keyHash: 'a1', ...settings, ...change },
});
const change = (fields: Partial<KeySettings>) => ({ type: 'ChangeKey', keyId, ...fields }) as const;
const issue = (fields: Partial<KeySettings>) =>
  ({ type: 'IssueKey', ...(issued(fields).data as Extract<KeyEvent, { type: 'KeyIssued' }>['data']) }) as const;
const rotate = (keyHash: string, previousUntil: number | null) =>
  ({ type: 'RotateKey', keyId, keyHash, previousUntil }) as const;
const revoked: KeyEvent = { type: 'KeyRevoked', data: { keyId } };

describe('a named key (D-93)', () => {
  it('is issued once, and only its hash is stored', () => {
    spec(key).given([]).when(issue({})).then([issued()]);
    spec(key).given([issued()]).when(issue({})).thenRejected('already_exists');
  });

  it('takes the changed fields alone, and none if nothing changes', () => {
    const changed = (data: Partial<KeySettings>): KeyEvent => ({ type: 'KeyChanged', data: { keyId, ...data } });
    const given = [issued()];
    spec(key).given(given).when(change(settings)).then([]);
    spec(key).given(given).when(change({})).then([]);
    spec(key)
      .given(given)
      .when(change({ ...settings, name: 'Ann' }))
      .then([changed({ name: 'Ann' })]);
    spec(key)
      .given(given)
      .when(change({ endpointIds: null, expiresAt: T }))
      .then([changed({ endpointIds: null, expiresAt: T })]);
    spec(key)
      .given([issued({ expiresAt: T, endpointIds: null })])
      .when(change({ expiresAt: null }))
      .then([changed({ expiresAt: null })]);
    // What it then has is compared with the next change.
    spec(key)
      .given([issued(), changed({ name: 'Ann' })])
      .when(change({ name: 'Ann' }))
      .then([]);
  });

  it.each<[readonly Scope[], readonly string[] | null, 'limited_manage' | 'audit_alone' | null]>([
    [['read', 'post', 'approve'], ['ep_1'], null],
    [['manage'], null, null],
    [['manage', 'post'], null, null],
    [['audit'], null, null],
    [['manage'], ['ep_1'], 'limited_manage'],
    [['post', 'manage'], [], 'limited_manage'],
    [['audit'], ['ep_1'], 'limited_manage'],
    [['audit', 'read'], null, 'audit_alone'],
  ])('with the scopes %j and the limit %j is refused with %s', (scopes, endpointIds, code) => {
    const outcome = spec(key).given([]).when(issue({ scopes, endpointIds }));
    if (code) outcome.thenRejected(code);
    else outcome.then([issued({ scopes, endpointIds })]);
  });

  it('stays within the rules when it is changed, also together with what it has already', () => {
    spec(key)
      .given([issued()])
      .when(change({ scopes: ['manage'] }))
      .thenRejected('limited_manage');
    spec(key)
      .given([issued({ scopes: ['manage'], endpointIds: null })])
      .when(change({ endpointIds: ['ep_1'] }))
      .thenRejected('limited_manage');
    spec(key)
      .given([issued({ endpointIds: null })])
      .when(change({ scopes: ['audit'] }))
      .thenRejected('audit_alone');
    spec(key)
      .given([issued({ scopes: ['audit'], endpointIds: null })])
      .when(change({ scopes: ['read'] }))
      .thenRejected('audit_alone');
  });

  it('is replaced; the hash before it is recorded only if both work for a while', () => {
    const rotated = (keyHash: string, previousHash: string | null, previousUntil: number | null): KeyEvent => ({
      type: 'KeyRotated',
      data: { keyId, keyHash, previousHash, previousUntil },
    });
    spec(key)
      .given([issued()])
      .when(rotate('b2', null))
      .then([rotated('b2', null, null)]);
    spec(key)
      .given([issued()])
      .when(rotate('b2', T))
      .then([rotated('b2', 'a1', T)]);
    spec(key)
      .given([issued(), rotated('b2', 'a1', T)])
      .when(rotate('c3', T + 1))
      .then([rotated('c3', 'b2', T + 1)]);
  });

  it('is revoked once, and then as if it had never been', () => {
    spec(key).given([issued()]).when({ type: 'RevokeKey', keyId }).then([revoked]);
    for (const command of [{ type: 'RevokeKey', keyId }, change({ name: 'Ann' }), rotate('b2', null)] as const) {
      spec(key).given([issued(), revoked]).when(command).thenRejected('not_found');
      spec(key).given([]).when(command).thenRejected('not_found');
    }
    spec(key).given([issued(), revoked]).when(issue({})).thenRejected('already_exists');
  });

  it('belongs to its owner; an auditor of all owners to none', () => {
    const { ownerId, keyHash, ...rest } = { ownerId: 'own_1', keyHash: 'a1', ...settings };
    expect(key.ownerOf!({ ownerId, keyHash, ...rest, deleted: false }, keyId)).toBe('own_1');
    expect(key.ownerOf!({ ownerId: null, keyHash, ...rest, deleted: false }, keyId)).toBeNull();
    expect(key.ownerOf!(null, keyId)).toBeNull();
  });
});
