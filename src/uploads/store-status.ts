import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import { newUuid } from '../kernel/ids.js';
import { LOG, type Log } from '../kernel/log.js';
import { reasonOf } from '../kernel/result.js';
import { POOL } from '../postgres/tokens.js';
import { SharedResult } from '../runtime/shared-result.js';
import { FILE_STORE, type FileStore, StoreUnavailable } from './file-store.js';
import { FILE_STORE_MESSAGES } from './messages.js';

/** Name of the row of `ops_setting` with the mark: `pending <mark>` until it is known to be in the store. */
const SETTING = 'media_store';
/** How long a check is reused, in ms. */
const KEPT_MS = 2_000;

/** The store belongs to another gateway, or lacks the mark of this one. */
export class WrongFileStore extends Error {
  override name = 'WrongFileStore';
}

/**
 * Knows whether the store can be used. The first process marks the store, and the database remembers the mark: two
 * gateways in one store would remove each other's files, and a process with another folder would find none (D-92).
 */
@Injectable()
export class StoreStatus {
  private isClaimed = false;
  private readonly checked = new SharedResult(() => this.check(), KEPT_MS);

  constructor(
    @Inject(POOL) private readonly pool: Pool,
    @Inject(FILE_STORE) private readonly store: FileStore,
    @Inject(LOG) private readonly log: Log,
  ) {}

  /** Compares the mark. A store that does not answer is compared later. @throws WrongFileStore */
  async claim(): Promise<void> {
    try {
      await this.requireUsable();
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error;
      this.log.warn({ reason: reasonOf(error), store: this.store.name }, 'the store of uploaded files does not answer');
    }
  }

  /** @throws StoreUnavailable until the mark has been compared; WrongFileStore */
  async requireUsable(): Promise<void> {
    if (this.isClaimed) return;
    const text = 'insert into ops_setting (name, value) values ($1, $2) on conflict (name) do nothing';
    await this.pool.query(text, [SETTING, `pending ${newUuid()}`]);
    const { rows } = await this.pool.query<{ value: string }>('select value from ops_setting where name = $1', [
      SETTING,
    ]);
    const [state, mark = ''] = rows[0]!.value.split(' ');
    const found = await this.store.readMark();
    const { name: store } = this.store;
    if (found !== null && found.trim() !== mark) throw new WrongFileStore(FILE_STORE_MESSAGES.otherMark({ store }));
    if (found === null && state !== 'pending') throw new WrongFileStore(FILE_STORE_MESSAGES.noMark({ store }));
    if (found === null) await this.store.writeMark(mark);
    if (state === 'pending')
      await this.pool.query('update ops_setting set value = $2 where name = $1', [SETTING, `written ${mark}`]);
    this.isClaimed = true;
  }

  /** Returns why the store takes no files; null if it does. Never throws. */
  findProblem(): Promise<string | null> {
    return this.checked.get();
  }

  private async check(): Promise<string | null> {
    try {
      await this.requireUsable();
      await this.store.check();
      return null;
    } catch (error) {
      return FILE_STORE_MESSAGES.unavailable({ reason: reasonOf(error) });
    }
  }
}
