import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import type { LimitsProfile } from '../config/limits-profile.js';
import { LIMITS_PROFILE } from '../config/tokens.js';
import { int4Array, textArray } from '../postgres/binary-array.js';
import { POOL } from '../postgres/tokens.js';
import { Batcher } from '../runtime/batcher.js';
import { KeyedPace } from '../runtime/keyed-pace.js';

/** Number of changes that an owner may make at once. Further changes follow at twice the rate of the budget. */
const BURST = 20;
const MINUTE_MS = 60_000;

interface Row {
  readonly item: number;
  readonly admitted: number;
  readonly retry_after: number | null;
}

/**
 * Limits the changes that owners make through the management API in a sliding minute, exactly across all processes
 * (D-83). Each process also spaces an owner's changes, so that a whole budget at once does not delay other owners
 * (ADR-257). Concurrent requests share a call of the database.
 */
@Injectable()
export class ChangeBudget {
  /** Changes per minute and owner; null if unlimited. */
  private readonly size: number | null;
  private readonly spending = new Batcher<string, number | null>((owners) => this.spendAll(owners));
  private readonly pace: KeyedPace;

  constructor(
    @Inject(POOL) private readonly pool: Pool,
    @Inject(LIMITS_PROFILE) profile: LimitsProfile,
  ) {
    this.size = profile.managementChangesPerMinute;
    this.pace = new KeyedPace(MINUTE_MS / 2 / (this.size ?? Infinity), BURST);
  }

  /**
   * Takes a change from an owner's budget, and waits until it is the owner's turn.
   * @returns null if the change may be made; otherwise whole seconds, at least 1, until another one may be made
   * @throws Overloaded, and the database's errors
   */
  async take(ownerId: string): Promise<number | null> {
    if (this.size === null) return null;
    const retryAfter = await this.spending.submit(ownerId);
    if (retryAfter === null) await this.pace.wait(ownerId);
    return retryAfter;
  }

  private async spendAll(owners: readonly string[]): Promise<(number | null)[]> {
    const counts = new Map<string, number>();
    for (const owner of owners) counts.set(owner, (counts.get(owner) ?? 0) + 1);
    const ids = [...counts.keys()];
    const { rows } = await this.pool.query<Row>({
      name: 'spend changes',
      text: 'select item, admitted, retry_after from ops_spend_changes($1, $2, $3)',
      values: [textArray(ids), int4Array([...counts.values()]), this.size],
    });
    const results = new Map(rows.map(({ item, admitted, retry_after }) => [ids[item - 1]!, { admitted, retry_after }]));
    const used = new Map<string, number>();
    return owners.map((owner) => {
      const result = results.get(owner);
      const number = (used.get(owner) ?? 0) + 1;
      used.set(owner, number);
      return result && number > result.admitted ? result.retry_after : null;
    });
  }
}
