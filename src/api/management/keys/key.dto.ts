import type { KeySettings } from '../../../domain/key/key.events.js';
import { ifLater, type Instant, iso } from '../../../kernel/clock.js';
import { type Scope, SCOPES } from '../../../kernel/events.js';
import type { KeyRow } from '../../../projections/discovery/discovery.tables.js';
import type { Sent } from '../../../validation/check-fields.js';
import { type JsonSchema, Schema, schemaOf } from '../../../validation/json-schema.js';
import type { ProblemList } from '../../../validation/problem-list.js';
import { Must } from '../../../validation/rules.js';
import { describeValue } from '../../../validation/wording.js';
import { type BodyReader, fieldsReader } from '../../transport/fields.js';
import type { KeyUse } from '../api-key.guard.js';
import { checkIds, isTime, toInstant } from '../common-fields.js';
import { BODY_MESSAGES } from '../messages.js';

/** Fields of PATCH /keys/{id}. Missing fields stay unchanged. */
export class KeyPatchBody {
  @Must.beName()
  readonly name: string | undefined;

  /** What the key may do. `manage` includes all others but `audit`, and each includes `read`. */
  @Schema.items(() => ({ type: 'string', enum: [...SCOPES] }))
  @Schema.is(() => ({ minItems: 1, uniqueItems: true }))
  @Must.beArray('scopes')
  readonly scopes: readonly Scope[] | undefined;

  /** The only endpoints that the key may use, with their posts and request logs. Null: all. */
  @Schema.items(() => ({ type: 'string' }))
  @Schema.is(() => ({ type: ['array', 'null'], minItems: 1, maxItems: 200, uniqueItems: true }))
  @Must.beArray('ids of endpoints')
  readonly endpoint_ids: readonly string[] | undefined;

  /** When the key stops working. Null: never. */
  @Schema.is(() => ({ type: ['string', 'null'] }))
  @isTime()
  readonly expires_at: string | undefined;
}

/** Body of POST /keys. */
export class KeyBody extends KeyPatchBody {
  @Must.bePresent('a name for people, such as "Anna"')
  declare readonly name: string;

  @Must.bePresent('what the key may do, such as ["post"]')
  declare readonly scopes: readonly Scope[];
}

/** Body of …/rotate and …/rotate-key. */
export class RotateKeyBody {
  /** How long the key before it also works. */
  @Must.beWithin(0, 10_080)
  readonly overlap_minutes: number | undefined;
}

const SCOPE_NAMES: ReadonlySet<unknown> = new Set(SCOPES);

const readScopes = (scopes: readonly Scope[] | undefined, problems: ProblemList): readonly Scope[] | undefined => {
  if (!Array.isArray(scopes)) return undefined;
  if (scopes.length === 0) problems.add(422, 'scopes', 'empty', BODY_MESSAGES.noScopes);
  for (const [index, scope] of scopes.entries())
    if (!SCOPE_NAMES.has(scope)) {
      const message = BODY_MESSAGES.unknownScope({ scopes: SCOPES.join(', '), value: describeValue(scope) });
      problems.add(422, `scopes[${index}]`, 'not_allowed', message);
    }
  return SCOPES.filter((scope) => scopes.includes(scope));
};

/** Reads the limit. @returns null to remove it; undefined if it was not sent */
const readLimit = (sent: Sent, ids: readonly string[] | undefined, problems: ProblemList) => {
  if (sent.endpoint_ids === null) return null;
  if (Array.isArray(ids) && ids.length === 0) problems.add(422, 'endpoint_ids', 'empty', BODY_MESSAGES.noEndpoints);
  checkIds(ids, 'endpoint_ids', 'ep', problems);
  return ids;
};

/** Reads PATCH /keys/{id}. */
export const readKeyChange: BodyReader<Partial<KeySettings>> = (sent, problems) => {
  const body = fieldsReader(KeyPatchBody)(sent, problems);
  const scopes = readScopes(body.scopes, problems);
  const endpointIds = readLimit(sent, body.endpoint_ids, problems);
  if (!problems.isEmpty) return {};
  const expiresAt = sent.expires_at === null ? null : toInstant(body.expires_at);
  return { name: body.name, scopes, endpointIds, expiresAt };
};

/** A new key's settings, and whose key it is. */
export interface NewKey extends KeySettings {
  /** Null for an auditor of all owners. */
  readonly ownerId: string | null;
}

/**
 * Creates the reader for POST /keys.
 * @param callerId the owner whose key asks; null for the operator, who names the owner, or null for all auditors
 * @throws HttpProblem 404 if an owner names another
 */
export const createKeyReader =
  (callerId: string | null, refuseForeign: () => never): BodyReader<NewKey> =>
  (sent, problems) => {
    const { owner_id: named, ...fields } = sent;
    const body = fieldsReader(KeyBody)(fields, problems);
    const scopes = readScopes(body.scopes, problems) ?? [];
    const endpointIds = readLimit(sent, body.endpoint_ids, problems) ?? null;
    const isForAll = named === null && scopes.includes('audit');
    if (callerId !== null && named !== undefined && named !== null && named !== callerId) refuseForeign();
    if (callerId === null && typeof named !== 'string' && !isForAll)
      problems.add(422, 'owner_id', 'missing', BODY_MESSAGES.ownerMissing);
    const ownerId = callerId ?? (isForAll ? null : (named as string));
    const expiresAt = problems.isEmpty ? (toInstant(body.expires_at) ?? null) : null;
    return { ownerId, name: body.name, scopes, endpointIds, expiresAt };
  };

/** Returns the body schema of POST /keys. */
export const describeNewKey = (): JsonSchema => {
  const schema = schemaOf(KeyBody);
  return { ...schema, properties: { owner_id: { type: ['string', 'null'] }, ...(schema.properties as JsonSchema) } };
};

/** When and from where a key was last used, exact to a minute. */
export interface KeyUseView {
  /** ISO 8601, UTC. */
  readonly at: string;
  /** The client's address. */
  readonly ip: string;
}

/** A key for the management API (D-93). The key itself is shown once, when it is issued or rotated. */
export class KeyView {
  /** `key_…` */
  readonly id: string;
  /** Null for an auditor of all owners. */
  readonly owner_id: string | null;
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** The only endpoints that it may use; null for all. */
  readonly endpoint_ids: readonly string[] | null;
  /** True for the owner's own key, which has neither limits nor an expiry and cannot be revoked. */
  readonly is_main: boolean;
  /** ISO 8601, UTC. */
  readonly created_at: string;
  /** ISO 8601, UTC; null if it does not expire. */
  readonly expires_at: string | null;
  /** Null if it was never used. */
  readonly last_used: KeyUseView | null;
  /** How long the key before its rotation also works, ISO 8601; null if it does not. */
  readonly previous_until: string | null;

  constructor(row: KeyRow, use: KeyUse | undefined, now: Instant) {
    this.id = row.key_id;
    this.owner_id = row.owner_id;
    this.name = row.name;
    this.scopes = row.scopes;
    this.endpoint_ids = row.endpoint_ids;
    this.is_main = row.is_main;
    this.created_at = row.created_at;
    this.expires_at = row.expires_at;
    this.last_used = use ? { at: iso(use.at), ip: use.ip } : null;
    this.previous_until = ifLater(row.previous_until ?? undefined, now);
  }
}

/** A key that was just issued or rotated. */
export class KeyWithSecretView extends KeyView {
  /** Null in a replayed response: a secret is shown once (D-47). */
  declare readonly key: string | null;
}

/** The owner of the caller's key. */
export interface MyOwnerView {
  readonly id: string;
  readonly name: string;
}

/** The caller's key. */
export interface MyKeyView {
  readonly id: string;
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly endpoint_ids: readonly string[] | null;
  /** ISO 8601, UTC; null if it does not expire. */
  readonly expires_at: string | null;
}

/** Who the caller is, and what its key may do. */
export class MeView {
  readonly role: 'operator' | 'owner' | 'auditor';
  /** Null for the operator, and for an auditor of all owners. */
  readonly owner: MyOwnerView | null;
  /** Null for the operator's own key. */
  readonly key: MyKeyView | null;

  constructor(role: MeView['role'], owner: MyOwnerView | null, key: KeyRow | null) {
    this.role = role;
    this.owner = owner && { id: owner.id, name: owner.name };
    this.key = key && {
      id: key.key_id,
      name: key.name,
      scopes: key.scopes,
      endpoint_ids: key.endpoint_ids,
      expires_at: key.expires_at,
    };
  }
}
