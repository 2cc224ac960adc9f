import { Injectable } from '@nestjs/common';
import { type AuditFilter, AuditIndex } from '../../projections/audit/audit.queries.js';
import type { HistoricEvent } from '../historic-event.js';
import { EventLoader } from './event-loader.js';

/** A page of the audit trail. */
export interface AuditPage {
  readonly events: readonly HistoricEvent[];
  /** Position of the last entry of the page; null if no more entries follow. */
  readonly next: bigint | null;
}

/** Lists recorded events, filtered by owner, actor, type, aggregate and time (`GET /history/events`). */
@Injectable()
export class AuditTrail {
  constructor(
    private readonly index: AuditIndex,
    private readonly events: EventLoader,
  ) {}

  /**
   * Returns a page, newest event first. New events do not change later pages, because positions are in commit order.
   * @param before position of the previous page's last event; null for the first page
   * @throws Unavailable @throws UndecodableEvent
   */
  async list(filter: AuditFilter, before: bigint | null, limit: number): Promise<AuditPage> {
    await this.index.catchUp();
    const entries = await this.index.listEntries(filter, before, limit + 1);
    const shown = entries.slice(0, limit);
    const next = entries.length > limit ? shown.at(-1)!.position : null;
    return { events: await this.events.load(shown), next };
  }
}
