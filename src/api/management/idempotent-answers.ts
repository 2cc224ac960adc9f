import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import type { Instant } from '../../kernel/instant.js';
import { POOL } from '../../postgres/tokens.js';

/** An answer as every repeat gets it: what was shown once is null in it (D-47). */
export interface KeptAnswer {
  readonly status: number;
  /** Position of the change, for `X-Position`; null where nothing had to change. */
  readonly position: string | null;
  readonly body: object;
}

/** What a key was found to be. */
export type Claim =
  /** Nobody has answered under it. `since` is the same for everyone who works under it. */
  | { readonly kind: 'open'; readonly since: Instant }
  | { readonly kind: 'answered'; readonly answer: KeptAnswer }
  /** It belongs to another request. */
  | { readonly kind: 'taken' };

interface Row {
  readonly request_hash: string;
  readonly status: number | null;
  readonly body: string | null;
  readonly since: bigint;
}

const SINCE = 'floor(extract(epoch from at) * 1000)::bigint as since';
/** management-api.md: Manners. */
const KEPT = "interval '24 hours'";
/** Later than any repeat could still count on it. */
const FORGOTTEN = "interval '25 hours'";

/**
 * Answers of POSTs with an Idempotency-Key, by caller and key, for 24 hours. A claim is no lock: of those who work under
 * one key each carries out the same command, which has its effect once, and one gets to keep its answer. So there is
 * nothing to wait for or to break where a process dies in between: whoever repeats the request finishes it.
 */
@Injectable()
export class IdempotentAnswers {
  constructor(@Inject(POOL) private readonly pool: Pool) {}

  /** @param requestHash tells a repeat from another request under the same key */
  async claim(caller: string, key: string, requestHash: string): Promise<Claim> {
    for (;;) {
      const claimed = await this.pool.query<Pick<Row, 'since'>>(
        `insert into ops_idempotent_answer as a (caller, key, request_hash) values ($1, $2, $3)
         on conflict (caller, key) do update
           set at = excluded.at, request_hash = excluded.request_hash, status = null, body = null
           where a.at < now() - ${KEPT}
         returning ${SINCE}`,
        [caller, key, requestHash],
      );
      if (claimed.rows[0]) {
        await this.pool.query(`delete from ops_idempotent_answer where at < now() - ${FORGOTTEN}`);
        return { kind: 'open', since: Number(claimed.rows[0].since) };
      }
      const row = await this.find(caller, key);
      if (!row) continue; // released in this very moment
      if (row.request_hash !== requestHash) return { kind: 'taken' };
      return row.status === null ? { kind: 'open', since: Number(row.since) } : { kind: 'answered', answer: kept(row) };
    }
  }

  /** Keeps an answer unless there is one. @returns the one that was there before, or null where this one is kept now */
  async keep(caller: string, key: string, requestHash: string, answer: KeptAnswer): Promise<KeptAnswer | null> {
    const { status, ...rest } = answer;
    const { rowCount } = await this.pool.query(
      `insert into ops_idempotent_answer as a (caller, key, request_hash, status, body) values ($1, $2, $3, $4, $5)
       on conflict (caller, key) do update set status = excluded.status, body = excluded.body where a.status is null`,
      [caller, key, requestHash, status, JSON.stringify(rest)],
    );
    if (rowCount === 1) return null;
    const row = await this.find(caller, key);
    return row?.status ? kept(row) : null;
  }

  /** Lets a key go whose request was refused: it may be corrected and sent again. */
  async release(caller: string, key: string, requestHash: string): Promise<void> {
    await this.pool.query(
      'delete from ops_idempotent_answer where caller = $1 and key = $2 and request_hash = $3 and status is null',
      [caller, key, requestHash],
    );
  }

  private async find(caller: string, key: string): Promise<Row | undefined> {
    const text = `select request_hash, status, body, ${SINCE} from ops_idempotent_answer where caller = $1 and key = $2`;
    return (await this.pool.query<Row>(text, [caller, key])).rows[0];
  }
}

const kept = ({ status, body }: Row): KeptAnswer => ({
  ...(JSON.parse(body!) as Omit<KeptAnswer, 'status'>),
  status: status!,
});
