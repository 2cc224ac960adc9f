import type { Json, JsonObject } from '../kernel/ids.js';
import type { SecretVault } from '../secrets/vault.js';

/** Shown in place of anything erased: the id of a secret or the data of a deleted event. */
export const ERASED = 'erased';

/** Names of the members that hold ids of secrets, in events and in states. */
const SECRET_ID = /^(credentialsId|credentials_id|api_key_id|.*[sS]ecretI[dD]|.*secret_id)$/;

type Value = Json | undefined;

const collect = (value: Value, found: Set<string>): void => {
  if (typeof value !== 'object' || value === null) return;
  for (const [name, member] of Object.entries(value as JsonObject)) {
    if (typeof member === 'string' && SECRET_ID.test(name)) found.add(member);
    else collect(member, found);
  }
};

const replace = (value: Value, erased: ReadonlySet<string>): Value => {
  if (typeof value === 'string') return erased.has(value) ? ERASED : value;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return (value as readonly Json[]).map((member) => replace(member, erased) as Json);
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, replace(member, erased)]));
};

/** Replaces the ids of erased secrets in JSON with `erased` (D-56). The names of members show which values are ids. */
export const maskErasedSecrets = async <T>(vault: Pick<SecretVault, 'findErased'>, values: T): Promise<T> => {
  const found = new Set<string>();
  collect(values as Value, found);
  if (found.size === 0) return values;
  const erased = await vault.findErased([...found]);
  return erased.size === 0 ? values : (replace(values as Value, erased) as T);
};
