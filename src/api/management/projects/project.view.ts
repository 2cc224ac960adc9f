import type { Processing } from '../../../domain/project/processing.js';
import { type Instant, iso } from '../../../kernel/instant.js';
import type { ProjectRow } from '../../../projections/discovery/discovery.tables.js';

/** A project as the API shows it (management-api.md: Routes). */
export class ProjectView {
  /** `prj_…` */
  readonly id: string;
  readonly owner_id: string;
  readonly name: string;
  readonly channel_ids: readonly string[];
  /** Processing of the project's posts (D-28), without the translation service's API key. */
  readonly processing: Processing;
  /** End of the project's pause (ISO 8601, UTC); null if it is not paused. */
  readonly paused_until: string | null;
  /** ISO 8601, UTC. */
  readonly created_at: string;

  constructor(row: ProjectRow, now: Instant) {
    this.id = row.project_id;
    this.owner_id = row.owner_id;
    this.name = row.name;
    this.channel_ids = row.channel_ids;
    this.processing = withoutKeyId(row.processing);
    this.paused_until = row.paused_until > now ? iso(row.paused_until) : null;
    this.created_at = iso(row.created_at);
  }
}

/** Removes the id of the translation key, so that a client can edit the response and send it back. */
const withoutKeyId = (processing: Processing): Processing => {
  if (!processing.translation) return processing;
  const { api_key_id: _, ...translation } = processing.translation;
  return { ...processing, translation };
};
