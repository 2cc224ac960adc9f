import type { AuditFilter, AuditIndex } from '../../projections/audit/audit.queries.js';
import type { HistoricEvent } from '../historic-event.js';
import type { EventLoader } from './event-loader.js';

/** A page of the audit trail. */
export interface AuditPage {
  readonly events: readonly HistoricEvent[];
  /** Position of the last entry of the page, if there are more behind it. */
  readonly next: bigint | null;
}

/** Lists the events of an owner, or of all owners, by actor, type, thing and time (management-api.md: `GET /history/events`). */
export class AuditTrail {
  constructor(
    private readonly index: AuditIndex,
    private readonly events: EventLoader,
  ) {}

  /**
   * Returns a page, the newest event first. Positions are in the order of commits: events that are appended meanwhile change no
   * later page.
   * @param before position of the former page's last event; null: the first page
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
