import { Inject, Injectable } from '@nestjs/common';
import type { Pool, QueryConfig, QueryResultRow } from 'pg';
import type { PostEvent } from '../../domain/post/post.events.js';
import type { PublicationEvent } from '../../domain/publication/publication.events.js';
import { EventCodec } from '../../event-store/codec.js';
import { EVENT_STORE, type EventStore, type StoredEvent } from '../../event-store/port.js';
import type { Instant } from '../../kernel/clock.js';
import type { RecordedEventOf } from '../../kernel/events.js';
import type { PartOfList } from '../../kernel/ids.js';
import { POOL } from '../../postgres/tokens.js';
import { firstIdAt, ID_TOLERANCE_MS } from './list-posts.sql.js';
import { ErasedPost, PostPayloads } from './post-payloads.js';
import { foldPost } from './posts.projection.js';
import { type PostRow, POSTS, type PublicationRow } from './posts.tables.js';

type EventOfPost = RecordedEventOf<PostEvent | PublicationEvent>;

/** The stream of an archived post, and the revision at which its events begin. */
interface ArchivedPlace {
  readonly post_id: string;
  readonly stream: string;
  readonly revision: string;
}

type Statement = QueryConfig & { readonly values: unknown[] };

interface FoldedPost {
  readonly post: PostRow;
  readonly publications: readonly PublicationRow[];
}

/** Tables of the read model, as a statement names them. */
const TABLES = new RegExp(String.raw`\b${POSTS}\.(post|publication)\b`, 'g');
/** The same tables, with the rows of parameters. */
const OVER = (table: string, parameter: number): string =>
  `${table} as (select * from jsonb_populate_recordset(null::${POSTS}.${table}, $${parameter}::jsonb))`;

/**
 * Looks up posts and publications by id. The rows of archived posts have left the read model, so they are computed from
 * the posts' events, with the functions that filled the read model (ADR-417).
 */
@Injectable()
export class PostLookup {
  constructor(
    @Inject(POOL) private readonly pool: Pick<Pool, 'query'>,
    @Inject(EVENT_STORE) private readonly store: EventStore,
    private readonly codec: EventCodec,
    private readonly payloads: PostPayloads,
  ) {}

  /** Like {@link find}, for a statement about the post or publication whose id is its first parameter. */
  async findOne<Row extends QueryResultRow>(statement: Statement): Promise<Row | null> {
    return (await this.find<Row>([statement.values[0] as string], statement))[0] ?? null;
  }

  /**
   * Runs a statement about posts or publications, which finds at most one row for each id; then, if it has found fewer, over
   * the rows of those posts that are archived.
   * @throws Unavailable @throws UndecodableEvent
   */
  async find<Row extends QueryResultRow>(ids: readonly string[], statement: Statement): Promise<readonly Row[]> {
    const { rows } = await this.pool.query<Row>(statement);
    if (rows.length >= ids.length) return rows;
    const { rows: places } = await this.pool.query<ArchivedPlace>({
      name: 'find archived posts',
      text: `select * from ${POSTS}.archived_post where post_id = any(array(
               select coalesce(u.post_id, id) from unnest($1::text[]) id
               left join ${POSTS}.archived_publication u on u.publication_id = id))`,
      values: [ids],
    });
    if (places.length === 0) return rows;
    const folded: FoldedPost[] = [];
    for (const place of places) folded.push(await this.fold(place)); // one at a time, because each may be large
    const { text, values } = statement;
    const over = `with ${OVER('post', values.length + 1)}, ${OVER('publication', values.length + 2)}
      ${text.replaceAll(TABLES, '$1')}`;
    const [posts, publications] = [folded.map(({ post }) => post), folded.flatMap((each) => each.publications)];
    const parameters = [...values, JSON.stringify(posts), JSON.stringify(publications)];
    return [...rows, ...(await this.pool.query<Row>(over, parameters)).rows];
  }

  private async fold({ post_id: postId, stream, revision }: ArchivedPlace): Promise<FoldedPost> {
    // Other posts with the same idempotency key may follow in the stream.
    const ofPost = (await this.read(stream, BigInt(revision))).filter(
      ({ data }) => 'postId' in data && data.postId === postId,
    );
    const ids = new Set<string>();
    for (const { data } of ofPost)
      if ('targets' in data) for (const target of data.targets ?? []) ids.add(target.publicationId);
    const events = [...ofPost];
    for (const id of ids) events.push(...(await this.read(`publication-${id}`, 0n)));
    events.sort((a, b) => (a.position < b.position ? -1 : 1));
    const folded = await foldPost(events);
    const post = folded.posts.get(postId)!;
    const { rows } = await this.pool.query<{ publication_id: string; sequence: number | null }>({
      name: 'sequences of archived publications',
      text: `select publication_id, sequence::float8 as sequence from ${POSTS}.archived_publication where publication_id = any($1)`,
      values: [[...ids]],
    });
    const sequences = new Map(rows.map((row) => [row.publication_id, row.sequence]));
    const publications = [...folded.publications.values()].map((row) => ({
      ...row,
      sequence: sequences.get(row.publication_id) ?? null,
    }));
    return { post: { ...post, content_erased: post.content_erased || (await this.isErased(post)) }, publications };
  }

  private async read(stream: string, from: bigint): Promise<EventOfPost[]> {
    const stored = await this.store.readStream(stream, { from });
    return stored.map((event: StoredEvent) => this.codec.decode(event) as EventOfPost);
  }

  /** True if the content was stored in parts, and they are erased. */
  private async isErased({ in_parts: isInParts, stream, content_revision: revision }: PostRow): Promise<boolean> {
    if (!isInParts) return false;
    return this.payloads.readPost(stream, revision).then(
      () => false,
      (error: unknown) => error instanceof ErasedPost,
    );
  }
}

/** The horizon of the read model: posts that were accepted before it may have left (D-101). */
@Injectable()
export class PostHorizon {
  constructor(@Inject(POOL) private readonly pool: Pick<Pool, 'query'>) {}

  /** Returns the horizon; null if no post has left. */
  async read(): Promise<Instant | null> {
    const { rows } = await this.pool.query<{ before: number }>(`select before::float8 as before from ${POSTS}.horizon`);
    return rows[0]?.before ?? null;
  }

  /** Names the horizon in a part of a list where the list ends. @param limit number of rows that were asked for */
  async endList<Row>(part: PartOfList<Row>, limit: number): Promise<PartOfList<Row>> {
    if (part.isCut || part.rows.length >= limit) return part;
    const archivedBefore = await this.read();
    return archivedBefore === null ? part : { ...part, archivedBefore };
  }

  /** Returns when the first post of all was accepted; null if there is none. */
  async findFirst(): Promise<Instant | null> {
    const { rows } = await this.pool.query<{ at: number }>(
      `select accepted_at::float8 as at from ${POSTS}.post order by post_id limit 1`,
    );
    return rows[0]?.at ?? null;
  }

  /** Returns the end of a period that begins at a time and has about as many posts; `until` if fewer follow. */
  async findEnd(from: Instant, until: Instant, posts: number): Promise<Instant> {
    const { rows } = await this.pool.query<{ at: number }>(
      `select accepted_at::float8 as at from ${POSTS}.post
       where post_id >= $1 and accepted_at >= $2 and accepted_at < $3 order by post_id offset $4 limit 1`,
      [firstIdAt(from - ID_TOLERANCE_MS), from, until, posts],
    );
    return Math.min(until, (rows[0]?.at ?? until) + 1);
  }
}
