import type { AttentionSubject, OverviewActionView } from './overview.view.js';
import type { OverviewFacts } from './overview-facts.js';

/** The subject of an attention item, with every fact set to null. */
export const NO_SUBJECT: AttentionSubject = {
  id: null,
  name: null,
  owner_id: null,
  owner_name: null,
  platform: null,
  channel_id: null,
  channel_name: null,
  publication_id: null,
  post_id: null,
  excerpt: null,
  code: null,
  message: null,
  platform_says: null,
  disabled_by: null,
  waiting: null,
  plan: null,
  resets_at: null,
  position: null,
  event_type: null,
};

/** Returns an action that opens the resource at a path. */
export const viewing = (label_code: OverviewActionView['label_code'], path: string): OverviewActionView => ({
  label_code,
  method: 'GET',
  path,
});

/** Returns the action that shows a list. @param owner limits the list to this owner; null for all owners */
export const viewingList = (path: string, owner: OverviewFacts['owner']): OverviewActionView => {
  const separator = path.includes('?') ? '&' : '?';
  return viewing('view_all', owner === null ? path : `${path}${separator}owner_id=${owner.owner_id}`);
};
