import { iso } from '../../../kernel/instant.js';
import type { OwnerRow } from '../../../projections/discovery/discovery.tables.js';
import type { PostsLeft } from '../../../projections/posts/usage.queries.js';

/** An owner as the API shows it (management-api.md); neither its key nor its bot's token is ever shown again. */
export const ownerView = (row: OwnerRow, { used, left, resetsAt }: PostsLeft): object => ({
  id: row.owner_id,
  name: row.name,
  plan: row.plan,
  notice_chat: row.notice_chat_id === null ? null : { chat_id: row.notice_chat_id },
  posts_used: used,
  posts_left: left,
  resets_at: iso(resetsAt),
  created_at: iso(row.created_at),
});
