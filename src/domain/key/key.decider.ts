import type { Instant } from '../../kernel/clock.js';
import { assertNever, type Decider } from '../../kernel/events.js';
import { RESOURCE_MESSAGES } from '../../kernel/messages.js';
import { reject } from '../../kernel/result.js';
import { KEY_MESSAGES, STATE_MESSAGES } from '../messages.js';
import type { KeyEvent, KeyIssued, KeySettings } from './key.events.js';

export type KeyCommand =
  | ({ readonly type: 'IssueKey' } & KeyIssued['data'])
  | ({ readonly type: 'ChangeKey'; readonly keyId: string } & Partial<KeySettings>)
  | {
      readonly type: 'RotateKey';
      readonly keyId: string;
      readonly keyHash: string;
      /** How long the present key also works; null without an overlap. */
      readonly previousUntil: Instant | null;
    }
  | { readonly type: 'RevokeKey'; readonly keyId: string };

/** State of a key; null if it does not exist. */
export type KeyState =
  | null
  | (Omit<KeyIssued['data'], 'keyId'> & {
      /** True if the key was revoked: every command is then rejected as if it did not exist. */
      readonly deleted: boolean;
    });

/** A named key for the management API: who may do what (D-93), or an auditor's (D-94). */
export const key: Decider<
  KeyCommand,
  KeyState,
  KeyEvent,
  'not_found' | 'already_exists' | 'limited_manage' | 'audit_alone'
> = {
  category: 'key',
  initial: null,

  ownerOf: (state) => state?.ownerId ?? null,

  decide(command, state) {
    const { keyId } = command;
    if (command.type === 'IssueKey') {
      if (state) return reject('already_exists', STATE_MESSAGES.alreadyExists({ what: 'key' }));
      const { type: _, ...data } = command;
      return rejectRights(data) ?? [{ type: 'KeyIssued', data }];
    }
    if (!state || state.deleted) return reject('not_found', RESOURCE_MESSAGES.notFound({ what: 'key' }));
    switch (command.type) {
      case 'ChangeKey': {
        const { name, scopes, endpointIds, expiresAt } = command;
        const change = {
          ...(name !== undefined && name !== state.name && { name }),
          ...(scopes !== undefined && scopes.join() !== state.scopes.join() && { scopes }),
          ...(endpointIds !== undefined && endpointIds?.join() !== state.endpointIds?.join() && { endpointIds }),
          ...(expiresAt !== undefined && expiresAt !== state.expiresAt && { expiresAt }),
        };
        if (Object.keys(change).length === 0) return [];
        const after = { ...state, ...change };
        if (after.scopes.includes('audit') !== state.scopes.includes('audit'))
          return reject('audit_alone', KEY_MESSAGES.auditStays);
        return rejectRights(after) ?? [{ type: 'KeyChanged', data: { keyId, ...change } }];
      }
      case 'RotateKey': {
        const { keyHash, previousUntil } = command;
        const previousHash = previousUntil === null ? null : state.keyHash;
        return [{ type: 'KeyRotated', data: { keyId, keyHash, previousHash, previousUntil } }];
      }
      case 'RevokeKey':
        return [{ type: 'KeyRevoked', data: { keyId } }];
      default:
        return assertNever(command);
    }
  },

  evolve(state, event) {
    if (event.type === 'KeyIssued') {
      const { ownerId, keyHash, name, scopes, endpointIds, expiresAt } = event.data;
      return { ownerId, keyHash, name, scopes, endpointIds, expiresAt, deleted: false };
    }
    if (!state) return state;
    switch (event.type) {
      case 'KeyChanged': {
        const { keyId: _, ...change } = event.data;
        return { ...state, ...change };
      }
      case 'KeyRotated':
        return { ...state, keyHash: event.data.keyHash };
      case 'KeyRevoked':
        return { ...state, deleted: true };
      default:
        return assertNever(event);
    }
  },
};

/** Rejects scopes that do not go with each other or with a limit (D-93, D-94), else returns null. */
const rejectRights = ({ scopes, endpointIds }: Pick<KeySettings, 'scopes' | 'endpointIds'>) => {
  if (scopes.includes('audit') && scopes.length > 1) return reject('audit_alone', KEY_MESSAGES.auditAlone);
  const isWide = scopes.includes('manage') || scopes.includes('audit');
  return endpointIds !== null && isWide ? reject('limited_manage', KEY_MESSAGES.limitedManage) : null;
};
