import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import type { Instant } from '../../kernel/instant.js';
import { POOL } from '../../postgres/tokens.js';

/** The response that every replay gets, with null for each secret that was shown once (D-47). */
export interface StoredResponse {
  readonly status: number;
  /** Position of the change, for `X-Position`; null if nothing changed. */
  readonly position: string | null;
  readonly body: object;
}

/** The result of claiming an idempotency key. */
export type KeyClaim =
  /** No response has been stored yet. `since` is the same for all requests with the key. */
  | { readonly kind: 'open'; readonly since: Instant }
  | { readonly kind: 'answered'; readonly response: StoredResponse }
  /** The key belongs to another request. */
  | { readonly kind: 'taken' };

interface Row {
  readonly request_hash: string;
  readonly status: number | null;
  readonly body: string | null;
  readonly since: bigint;
}

const SINCE = 'floor(extract(epoch from at) * 1000)::bigint as since';
/** How long a retry gets the stored response (management-api.md: Manners). */
const KEY_LIFETIME = "interval '24 hours'";
/** Age at which a stored response is deleted: the replay period plus a margin. */
const RETENTION = "interval '25 hours'";

/**
 * Stores responses to POSTs with an Idempotency-Key, by caller and key, for 24 hours. A claim is not a lock: all
 * requests with a key execute the same command, which takes effect once, and the first to finish stores its response.
 * Therefore no request waits for another, and after a crash a retry completes the change.
 */
@Injectable()
export class IdempotentResponses {
  constructor(@Inject(POOL) private readonly pool: Pool) {}

  /** Claims a key. @param requestHash distinguishes a retry from a different request with the same key */
  async claimKey(caller: string, key: string, requestHash: string): Promise<KeyClaim> {
    for (;;) {
      const claimed = await this.pool.query<Pick<Row, 'since'>>(
        `insert into ops_idempotent_answer as a (caller, key, request_hash) values ($1, $2, $3)
         on conflict (caller, key) do update
           set at = excluded.at, request_hash = excluded.request_hash, status = null, body = null
           where a.at < now() - ${KEY_LIFETIME}
         returning ${SINCE}`,
        [caller, key, requestHash],
      );
      if (claimed.rows[0]) {
        await this.pool.query(`delete from ops_idempotent_answer where at < now() - ${RETENTION}`);
        return { kind: 'open', since: Number(claimed.rows[0].since) };
      }
      const row = await this.findRow(caller, key);
      if (!row) continue; // released in the meantime
      if (row.request_hash !== requestHash) return { kind: 'taken' };
      return row.status === null
        ? { kind: 'open', since: Number(row.since) }
        : { kind: 'answered', response: toStoredResponse(row) };
    }
  }

  /** Stores a response unless the key already has one. @returns the earlier response; null if there was none */
  async storeResponse(
    caller: string,
    key: string,
    requestHash: string,
    response: StoredResponse,
  ): Promise<StoredResponse | null> {
    const { status, ...rest } = response;
    const { rowCount } = await this.pool.query(
      `insert into ops_idempotent_answer as a (caller, key, request_hash, status, body) values ($1, $2, $3, $4, $5)
       on conflict (caller, key) do update set status = excluded.status, body = excluded.body where a.status is null`,
      [caller, key, requestHash, status, JSON.stringify(rest)],
    );
    if (rowCount === 1) return null;
    const row = await this.findRow(caller, key);
    return row?.status ? toStoredResponse(row) : null;
  }

  /** Releases the key of a rejected request so that the request can be corrected and sent again. */
  async releaseKey(caller: string, key: string, requestHash: string): Promise<void> {
    await this.pool.query(
      'delete from ops_idempotent_answer where caller = $1 and key = $2 and request_hash = $3 and status is null',
      [caller, key, requestHash],
    );
  }

  private async findRow(caller: string, key: string): Promise<Row | undefined> {
    const text = `select request_hash, status, body, ${SINCE} from ops_idempotent_answer where caller = $1 and key = $2`;
    return (await this.pool.query<Row>(text, [caller, key])).rows[0];
  }
}

const toStoredResponse = ({ status, body }: Row): StoredResponse => ({
  ...(JSON.parse(body!) as Omit<StoredResponse, 'status'>),
  status: status!,
});
