import type { Processing } from '../../../domain/project/processing.js';
import { type Instant, iso } from '../../../kernel/instant.js';
import type { ProjectRow } from '../../../projections/discovery/discovery.tables.js';

/** A project as the API shows it (management-api.md). */
export const projectView = (row: ProjectRow, now: Instant): object => ({
  id: row.project_id,
  owner_id: row.owner_id,
  name: row.name,
  channel_ids: row.channel_ids,
  processing: shown(row.processing),
  paused_until: row.paused_until > now ? iso(row.paused_until) : null,
  created_at: iso(row.created_at),
});

/** Without where the translation's key lies: what is shown may be changed and sent back as it is. */
const shown = (processing: Processing): Processing => {
  if (!processing.translation) return processing;
  const { api_key_id: _, ...translation } = processing.translation;
  return { ...processing, translation };
};
