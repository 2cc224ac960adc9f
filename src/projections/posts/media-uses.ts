import type { PlannedPostEvent, PostEvent } from '../../domain/post/post.events.js';
import type { PublicationEvent } from '../../domain/publication/publication.events.js';
import type { Instant } from '../../kernel/clock.js';
import type { RecordedEventOf } from '../../kernel/events.js';
import type { Tx } from '../engine/projection.js';
import { Rows } from '../engine/rows.js';
import { type MediaUseRow, mediaUseRows, type PublicationRow } from './posts.tables.js';

type EventOfPost = RecordedEventOf<PostEvent | PublicationEvent>;

/** States in which a publication still needs the post's files. */
const OPEN: ReadonlySet<PublicationRow['state']> = new Set([
  ...(['planned', 'queued', 'publishing', 'in_doubt'] as const),
]);

const isOpen = ({ state, edit }: PublicationRow): boolean => OPEN.has(state) || (edit !== null && !edit.has_failed);

/** The uploaded files that posts name, and how many publications of each post still need them (D-90). */
export class MediaUses {
  /** Files by post, before and after the batch; only of posts that name any. */
  private readonly idsOf = new Map<string, ReadonlySet<string>>();
  /** Open publications by post, as stored. */
  private readonly openBefore = new Map<string, number>();
  private readonly wasOpen = new Map<string, string>();
  private readonly lastAt = new Map<string, Instant>();

  private constructor(
    private readonly rows: Rows<MediaUseRow>,
    private readonly publications: Rows<PublicationRow>,
  ) {}

  /** @param publications the loaded rows; those of edited posts may be added */
  static async load(
    tx: Tx,
    handled: readonly { readonly data: object }[],
    publications: Rows<PublicationRow>,
  ): Promise<MediaUses> {
    const uses = new MediaUses(await Rows.load(tx, mediaUseRows, []), publications);
    const events = handled as readonly EventOfPost[];
    const named = new Set(events.flatMap((event) => (listMediaIds(event).length > 0 ? [postOf(event)!] : [])));
    const known = [...new Set(events.flatMap((event) => (event.type === 'PostAccepted' ? [] : (postOf(event) ?? []))))];
    if (known.length > 0) await uses.rows.loadWhere('post_id = any($1)', [known]);
    for (const { post_id, media_id, open } of uses.rows.values()) {
      uses.idsOf.set(post_id, new Set([...(uses.idsOf.get(post_id) ?? []), media_id]));
      uses.openBefore.set(post_id, open);
    }
    // An edit that adds the first files to a post does not name its publications.
    const fresh = events.flatMap((event) =>
      event.type === 'PostEdited' && named.has(event.data.postId) && !uses.idsOf.has(event.data.postId)
        ? [event.data.postId]
        : [],
    );
    if (fresh.length > 0) await publications.loadWhere('post_id = any($1)', [fresh]);
    for (const row of publications.values())
      if ((uses.idsOf.has(row.post_id) || named.has(row.post_id)) && isOpen(row))
        uses.wasOpen.set(row.publication_id, row.post_id);
    return uses;
  }

  /** Notes an event after it has been applied to the other rows. */
  note(event: EventOfPost): void {
    const postId = postOf(event);
    if (postId === null) return;
    const ids = listMediaIds(event);
    if (event.type === 'PostRevised' || (event.type === 'PostAccepted' && ids.length > 0))
      this.replace(postId, new Set(ids));
    // Attempts under way finish with the former content, so its files stay.
    else if (event.type === 'PostEdited' && ids.length > 0)
      this.replace(postId, new Set([...(this.idsOf.get(postId) ?? []), ...ids]));
    if (this.idsOf.has(postId)) this.lastAt.set(postId, event.at);
  }

  /** Returns the changed rows. */
  finish(): Rows<MediaUseRow> {
    const changes = new Map<string, number>();
    const count = (postId: string, by: 1 | -1) => changes.set(postId, (changes.get(postId) ?? 0) + by);
    const before = new Map<string, number>();
    for (const [id, postId] of this.wasOpen) {
      before.set(postId, (before.get(postId) ?? 0) + 1);
      const row = this.publications.get(id);
      if (!row || !isOpen(row)) count(postId, -1);
    }
    for (const row of this.publications.values())
      if (this.idsOf.has(row.post_id) && isOpen(row) && !this.wasOpen.has(row.publication_id)) count(row.post_id, 1);
    for (const [post_id, last_event_at] of this.lastAt) {
      const open = (this.openBefore.get(post_id) ?? before.get(post_id) ?? 0) + (changes.get(post_id) ?? 0);
      for (const media_id of this.idsOf.get(post_id) ?? [])
        this.rows.put({ use_id: `${media_id}/${post_id}`, media_id, post_id, open, last_event_at });
    }
    return this.rows;
  }

  private replace(postId: string, ids: ReadonlySet<string>): void {
    for (const id of this.idsOf.get(postId) ?? []) if (!ids.has(id)) this.rows.remove(`${id}/${postId}`);
    if (ids.size > 0 || this.idsOf.has(postId)) this.idsOf.set(postId, ids);
  }
}

const postOf = ({ data }: EventOfPost): string | null => ('postId' in data ? data.postId : null);

const listMediaIds = ({ data }: EventOfPost | RecordedEventOf<PlannedPostEvent>): readonly string[] =>
  ('mediaIds' in data && data.mediaIds) || [];
