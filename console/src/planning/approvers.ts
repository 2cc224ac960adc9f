import { type Api } from '../api/management.js';
import { useIssuedKeys } from '../api/things.js';
import { type Format, format } from '../i18n/format.js';
import { defineMessages } from '../i18n/messages.js';
import { useMay } from '../session/rights.js';
import { useSession } from '../session/session.js';
import { serverNow } from '../time/server-clock.js';

const m = defineMessages({ en: { others: 'others' }, ru: { others: 'другие' } });

/** Number of people who are named. */
const NAMED = 3;

type Key = Pick<Api<'Key'>, 'name' | 'scopes' | 'endpoint_ids' | 'expires_at' | 'is_main'>;

/** What the names depend on. */
interface Approval {
  readonly endpointId: string;
  /** Name of the owner, who may approve everything. */
  readonly ownerName: string;
  readonly now: number;
  readonly format: Pick<Format, 'either'>;
  readonly others: string;
}

/** Names the people whose keys may approve posts of an endpoint, first those who have a key for it: `Ann or Harbour`. */
export const nameApprovers = (
  keys: readonly Key[],
  { endpointId, ownerName, now, format, others }: Approval,
): string => {
  const may = keys.filter(
    ({ endpoint_ids: endpoints, expires_at: end }) =>
      (endpoints === null || endpoints.includes(endpointId)) && (end === null || Date.parse(end) > now),
  );
  const named = [
    ...may.filter(({ scopes }) => scopes.includes('approve')),
    ...may.filter(({ scopes, is_main: isMain }) => scopes.includes('manage') && !scopes.includes('approve') && !isMain),
  ].map(({ name }) => name);
  const names = [...new Set([...named, ownerName])];
  return format.either(names.length > NAMED ? [...names.slice(0, NAMED), others] : names);
};

/**
 * Returns a function that names who may approve posts of an endpoint. It returns null if this person may do it, if the
 * person's key may not see other keys, and in the view of all owners.
 * @param isAsked false while there is nothing to approve
 */
export const useApprovers = (isAsked: boolean): ((endpointId: string) => string | null) => {
  const mayApprove = useMay('POST /posts/{id}/approve');
  const owner = useSession()?.owner ?? null;
  const isKnown = useMay('GET /keys') && !mayApprove && owner !== null;
  const keys = useIssuedKeys(isAsked && isKnown).data;
  return (endpointId) =>
    isKnown && keys
      ? nameApprovers(keys, { endpointId, ownerName: owner.name, now: serverNow(), format, others: m.others })
      : null;
};
