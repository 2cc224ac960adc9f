import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import type { PostKeyReserved } from '../../domain/post/post.events.js';
import type { PublicationEvent } from '../../domain/publication/publication.events.js';
import type { TranslationEvent } from '../../domain/translation/translation.events.js';
import { type ErasureNote, ErasureNotes } from '../../erasure/erasure-notes.js';
import { readBackwards } from '../../event-store/aggregate-reader.js';
import { EventCodec } from '../../event-store/codec.js';
import { EVENT_STORE, type EventStore } from '../../event-store/port.js';
import { LOG, type Log } from '../../kernel/log.js';
import { Publishers } from '../../platforms/platform-catalogue.js';
import { Leases } from '../../postgres/leases.js';
import { POOL } from '../../postgres/tokens.js';
import { PostLookup } from '../../projections/posts/archived-posts.queries.js';
import { PostPlaces } from '../../projections/posts/post-details.queries.js';
import { idOfPayload, nullIfUnreadable, PostPayloads } from '../../projections/posts/post-payloads.js';
import { sleepUnlessAborted } from '../../runtime/sleep.js';
import { SecretVault } from '../../secrets/vault.js';
import { runUnderLease } from '../engine/run-under-lease.js';
import { eraseDue, type ErasureKind, unnamedSecrets } from './erase-replaced.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

/** Events after which a publication is never sent again, whatever its owner requests. */
const ENDED: ReadonlySet<string> = new Set<PublicationEvent['type']>([
  'PublicationSucceeded',
  'PublicationFiltered',
  'PublicationDismissed',
  'PublicationWithdrawalRequested',
  'PublicationMessageDeleted',
  'PublicationWithdrawalPostponed',
  'PublicationWithdrawn',
  'PublicationWithdrawalFailed',
  'PublicationWithdrawalDropped',
  'PublicationEdited',
  'PublicationEditFailed',
  'PublicationEditDropped',
  'PublicationPinned',
  'PublicationPinFailed',
]);

/** Dependencies for erasing streams. */
export interface StreamErasureDependencies {
  readonly pool: Pool;
  readonly notes: ErasureNotes;
  readonly store: EventStore;
  readonly codec: EventCodec;
}

/**
 * Deletes the translations of posts that can never be sent again. The events decide; a read model, which may be behind,
 * only locates the post. A translation that is still needed is checked again later. The delay is the age of its note,
 * but at least a minute and at most an hour.
 */
export const translationErasures = ({
  pool,
  notes,
  store,
  codec,
}: StreamErasureDependencies): ErasureKind<ErasureNote> => {
  const posts = new PostPayloads(store, codec);
  const places = new PostPlaces(pool, new PostLookup(pool, store, codec, posts));
  const isNeeded = async (stream: string): Promise<boolean> => {
    const [stored] = await store.readStream(stream, { limit: 1 });
    if (!stored) return false;
    const place = await places.findContent(codec.decode<TranslationEvent>(stored).data.postId);
    if (!place) return true; // the read model has not reached the post yet
    const post = await posts.readEvent(place.stream, place.revision).catch(nullIfUnreadable);
    if (!post) return true;
    const last = await Promise.all(
      post.targets.map(({ publicationId }) =>
        store.readStream(`publication-${publicationId}`, { direction: 'backwards', limit: 10 }),
      ),
    );
    return !last.every((events) => {
      // A duplicate may be found and dismissed after the end (D-84).
      const event = events.find(({ type }) => !type.startsWith('PublicationDuplicate'));
      return event !== undefined && ENDED.has(event.type);
    });
  };
  return {
    name: 'translations',
    findDue: (limit) => notes.findDue('translation', limit),
    async handle(note) {
      const { subject, age } = note;
      if (await isNeeded(subject))
        return notes.postpone('translation', note, Math.min(Math.max(age, MINUTE_MS), HOUR_MS));
      await store.deleteStream(subject);
      await notes.settle('translation', note);
    },
    postpone: (note) => notes.postpone('translation', note, HOUR_MS),
  };
};

/**
 * Deletes payload parts of posts that were never accepted (D-42), unless an event mentions their id. Searches the
 * streams that may contain the acceptance: the streams in the note (for the request's keys, or the post's own), and the
 * streams that their reservations point to.
 */
export const payloadErasures = ({ notes, store, codec }: StreamErasureDependencies): ErasureKind<ErasureNote> => {
  const isAccepted = async (id: string, streams: readonly string[]): Promise<boolean> => {
    const searched = new Set(streams);
    for (const stream of searched) {
      for await (const event of readBackwards(store, stream)) {
        if (event.data.includes(id)) return true;
        // Iterating over a set includes items added during the iteration.
        if (event.type === 'PostKeyReserved') searched.add(codec.decode<PostKeyReserved>(event).data.place.stream);
      }
    }
    return false;
  };
  return {
    name: 'payload parts',
    findDue: (limit) => notes.findDue('payload', limit),
    async handle(note) {
      const { subject, streams } = note;
      if (!(await isAccepted(idOfPayload(subject), streams!))) await store.deleteStream(subject);
      await notes.settle('payload', note);
    },
    postpone: (note) => notes.postpone('payload', note, HOUR_MS),
  };
};

const LEASE = 'erase-due';
/** Interval of the sweeps, in ms: due secrets must be erased within a minute (D-56). */
const SWEEP_MS = 5_000;
/** Maximum number of items of each kind per sweep. */
const BATCH_SIZE = 100;
/** Delay, in ms, before another attempt to erase a replaced secret. */
const POSTPONED_MS = 60_000;
const RETRY = { firstMs: 100, longestMs: 10_000 };

/**
 * Erases due items, in one process at a time: items in `ops_erasure`, secrets that no event names, and idle rows of
 * `ops_pace`. A secret or stream is erased before its note, so that a crash in between repeats the erasure.
 */
@Injectable()
export class DueErasures implements StreamErasureDependencies {
  constructor(
    @Inject(POOL) readonly pool: Pool,
    readonly notes: ErasureNotes,
    @Inject(EVENT_STORE) readonly store: EventStore,
    readonly codec: EventCodec,
    private readonly vault: SecretVault,
    private readonly publishers: Publishers,
    private readonly leases: Leases,
    @Inject(LOG) private readonly log: Log,
  ) {}

  /** Runs until the signal is aborted. */
  run(signal: AbortSignal): Promise<void> {
    const failure = 'failed to erase due items; retrying';
    const work = (held: AbortSignal): Promise<void> => this.sweepUntil(held);
    return runUnderLease(this.leases, this.log, { lease: LEASE, retry: RETRY, failure, work }, signal);
  }

  private async sweepUntil(signal: AbortSignal): Promise<void> {
    const { vault, notes, store, log } = this;
    const secrets: ErasureKind<ErasureNote> = {
      name: 'replaced secrets',
      findDue: (limit) => notes.findDue('secret', limit),
      async handle(note) {
        await vault.eraseSecret(note.subject);
        await notes.settle('secret', note);
      },
      postpone: (note) => notes.postpone('secret', note, POSTPONED_MS),
    };
    while (!signal.aborted) {
      const hasMore = [
        await eraseDue(secrets, BATCH_SIZE, signal, log),
        await eraseDue(translationErasures(this), BATCH_SIZE, signal, log),
        await eraseDue(payloadErasures(this), BATCH_SIZE, signal, log),
        await eraseDue(unnamedSecrets(vault, store), BATCH_SIZE, signal, log),
      ];
      if (hasMore.includes(true)) continue;
      await this.eraseIdlePaces();
      await sleepUnlessAborted(SWEEP_MS, signal);
    }
  }

  /** Deletes rows whose calls no longer count: their keys contain chat ids and credential hashes. */
  private async eraseIdlePaces(): Promise<void> {
    const { publishers, pool } = this;
    const paces = publishers.platforms.map((platform) => publishers.get(platform).pace);
    const windows = paces.flatMap(({ perChannel, perCredential }) => [...perChannel, ...perCredential]);
    const longestMs = Math.max(0, ...windows.map(({ perMs }) => perMs));
    // Waiting for a locked row could cause a deadlock: calls that reserve turns lock several rows in key order.
    await pool.query(
      `delete from ops_pace where key in (
         select key from ops_pace where slots[cardinality(slots)] < clock_timestamp() - $1 * interval '1 ms'
         for update skip locked)`,
      [longestMs],
    );
  }
}
