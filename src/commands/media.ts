import { randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { LimitsProfile } from '../config/limits-profile.js';
import { LIMITS_PROFILE } from '../config/tokens.js';
import { media, type MediaState } from '../domain/media/media.decider.js';
import type { MediaDeletionReason, UploadedFacts } from '../domain/media/media.events.js';
import { owner } from '../domain/owner/owner.decider.js';
import { AggregateStore } from '../event-store/aggregate-store.js';
import type { Position } from '../event-store/port.js';
import type { Instant } from '../kernel/clock.js';
import { deriveId, newUuid } from '../kernel/ids.js';
import { RESOURCE_MESSAGES } from '../kernel/messages.js';
import { isRejection, reject, type Rejection } from '../kernel/result.js';
import { ProjectionProgress } from '../projections/engine/progress.js';
import { FILE_STORE, type FileStore } from '../uploads/file-store.js';
import { FileReceiver } from '../uploads/receive-file.js';
import { type StartingUpload, UploadReservations } from '../uploads/upload-reservations.js';
import { type CommandContext, type CommandOutcome, toOutcome } from './command.js';
import { rejectDeletedOwner } from './deletion.js';
import { COMMAND_MESSAGES } from './messages.js';
import { UploadHolds } from './post/upload-holds.js';

/** A file that a client is about to send. */
export interface OfferedFile {
  readonly ownerId: string;
  /** Who is counted in the pace: the endpoint or the owner. */
  readonly payer: string;
  readonly filename: string | null;
  /** Null if it is unknown. */
  readonly announcedBytes: number | null;
  /** SHA-256 (hex) that the client declared; null if it declared none. */
  readonly declaredSha256: string | null;
  readonly chunks: AsyncIterable<Buffer>;
  /** Checks what was received. @throws if it is not what was declared */
  readonly verify: (facts: UploadedFacts) => void;
  readonly signal: AbortSignal;
}

/** An upload that was kept. */
export interface KeptUpload {
  readonly mediaId: string;
  /** False if the owner had the same content already. */
  readonly isNew: boolean;
  readonly position: Position;
}

type UploadRejection = Rejection<'not_found' | 'resource_limit' | 'too_many_uploads'>;

/** Thrown while a body is being received. */
class Rejected extends Error {
  constructor(readonly rejection: UploadRejection) {
    super(rejection.message);
  }
}

/** Room that an upload of unknown size reserves ahead of what has arrived, if there is as much, in bytes. */
const STEP_BYTES = 1_048_576;
/** Number of uploads that a process receives at once (D-90). */
const AT_ONCE = 32;
/** When to try again if a process receives as many, in seconds. */
const RETRY_SECONDS = 5;

/** Returns the id of an owner's content: the same content has the same id, however often it is uploaded (D-90). */
export const mediaIdOf = (ownerId: string, sha256: string): string => deriveId('med', `${ownerId}/${sha256}`);

/**
 * Keeps an owner's file: in the store first, then in an event, then in the answer (D-92). What a crash leaves in the
 * store is removed by the sweep.
 */
@Injectable()
export class UploadMedia {
  private running = 0;

  constructor(
    private readonly aggregates: AggregateStore,
    private readonly reservations: UploadReservations,
    private readonly receiver: FileReceiver,
    private readonly progress: ProjectionProgress,
    @Inject(FILE_STORE) private readonly store: FileStore,
    @Inject(LIMITS_PROFILE) private readonly profile: LimitsProfile,
  ) {}

  /**
   * Receives a file.
   * @throws FileRefused, StoreUnavailable, the errors of the chunks and of `verify`, or the signal's reason
   */
  async execute(context: CommandContext, offered: OfferedFile): Promise<KeptUpload | UploadRejection> {
    const { ownerId, payer } = offered;
    const { state } = await this.aggregates.loadAggregate(owner, ownerId);
    if (!state || state.deleted) return reject('not_found', RESOURCE_MESSAGES.notFound({ what: 'owner' }));
    const { mediaBytes: allowed } = this.profile.plans[state.plan].resources;
    const file = `${ownerId}/${newUuid().replaceAll('-', '')}`;
    const { announcedBytes, declaredSha256 } = offered;
    const first = { ownerId, file, bytes: announcedBytes ?? 0, allowed };
    const upload = { ...first, payer, perMinute: this.profile.uploadsPerMinute };
    const room = new Room(this.reservations, upload, state.plan);
    // A repeated upload takes no room, even if none is left.
    const known = declaredSha256 === null ? null : await this.findLive(mediaIdOf(ownerId, declaredSha256));
    const isRepeated = known !== null && (announcedBytes === null || announcedBytes === known.bytes);
    const rejection = await room.open(isRepeated ? known.bytes : null);
    if (rejection) return rejection;
    if (this.running >= AT_ONCE) {
      await this.reservations.release(upload);
      return tooMany(RETRY_SECONDS);
    }
    this.running += 1;
    const stopRenewing = this.reservations.keep(upload);
    let isShown = true;
    try {
      const facts = await this.receiver.receive({
        ownerId,
        file,
        chunks: offered.chunks,
        announcedBytes,
        signal: offered.signal,
        reserve: (bytes) => room.reserve(bytes),
      });
      const kept = await this.keep(context, offered, file, facts, room);
      isShown = await this.progress.waitFor(['media'], kept.position);
      return kept;
    } catch (error) {
      if (error instanceof Rejected) return error.rejection;
      throw error;
    } finally {
      this.running -= 1;
      stopRenewing();
      // Until the read model shows the file, its reservation counts instead. It then expires.
      if (isShown) await this.reservations.release(upload);
    }
  }

  private async keep(
    context: CommandContext,
    { ownerId, filename, verify }: OfferedFile,
    file: string,
    facts: UploadedFacts,
    room: Room,
  ): Promise<KeptUpload> {
    const mediaId = mediaIdOf(ownerId, facts.sha256);
    let missingFile: string | null = null;
    try {
      verify(facts);
      await room.confirm(facts.bytes, mediaId);
      const known = await this.findLive(mediaId);
      if (known && (await this.store.sizeOf(known.file)) === null) missingFile = known.file;
    } catch (error) {
      await this.removeUnused(file);
      throw error;
    }
    const address = randomBytes(16).toString('base64url');
    const upload = { ...facts, mediaId, ownerId, filename, address, file, uploadedAt: context.at };
    const command = { type: 'UploadMedia', mediaId, upload, missingFile } as const;
    // If the outcome is unknown, the file stays: the sweep asks the stream whether it is needed.
    const result = await this.aggregates.execute(media, mediaId, command, context);
    if (isRejection(result)) throw new Error(`unexpected rejection: ${result.message}`);
    const { state, position } = result.aggregate;
    if (state?.file !== file) await this.removeUnused(file);
    const deleted = await rejectDeletedOwner(this.aggregates, ownerId);
    if (deleted) {
      const erase = { type: 'DeleteMedia', mediaId, reason: 'owner_deleted' } as const;
      await this.aggregates.execute(media, mediaId, erase, { ...context, commandId: `${context.commandId}/erase` });
      throw new Rejected(deleted);
    }
    return { mediaId, isNew: result.events[0]?.type === 'MediaUploaded', position };
  }

  private async findLive(mediaId: string): Promise<NonNullable<MediaState> | null> {
    const { state } = await this.aggregates.loadAggregate(media, mediaId);
    return state && !state.deleted ? state : null;
  }

  /** Removes a file that no event names; if that fails, the sweep does. */
  private async removeUnused(file: string): Promise<void> {
    await this.store.remove(file).catch(() => undefined);
  }
}

const tooMany = (seconds: number): UploadRejection =>
  reject('too_many_uploads', COMMAND_MESSAGES.tooManyUploads({ seconds }), { retry_after: seconds });

/** The room that an upload takes up under its owner's quota. */
class Room {
  private reserved = 0;

  constructor(
    private readonly reservations: UploadReservations,
    private readonly upload: StartingUpload,
    private readonly plan: string,
  ) {}

  /** @param repeatedBytes size of the owner's file that is probably sent again; null if it is not known to be one */
  async open(repeatedBytes: number | null): Promise<UploadRejection | null> {
    const { upload } = this;
    const verdict = await this.reservations.start(repeatedBytes === null ? upload : { ...upload, bytes: 0 });
    this.reserved = repeatedBytes ?? upload.bytes;
    switch (verdict.verdict) {
      case 'reserved':
        return null;
      case 'quota':
        return this.full(verdict.used);
      case 'too_many':
        return tooMany(verdict.retryAfter);
    }
  }

  /** Reserves room for this many bytes in all. @throws Rejected */
  async reserve(bytes: number): Promise<void> {
    if (bytes <= this.reserved) return;
    for (const wanted of [bytes + STEP_BYTES, bytes]) {
      const verdict = await this.reservations.extend(this.upload, wanted, null);
      this.reserved = wanted;
      if (verdict.verdict === 'reserved') return;
      if (verdict.verdict === 'quota' && wanted === bytes) throw new Rejected(this.full(verdict.used));
    }
  }

  /** Reserves room for content that is known now. @throws Rejected */
  async confirm(bytes: number, mediaId: string): Promise<void> {
    const verdict = await this.reservations.extend(this.upload, bytes, mediaId);
    if (verdict.verdict === 'quota') throw new Rejected(this.full(verdict.used));
  }

  private full(used: number): UploadRejection {
    const { plan } = this;
    const allowed = this.upload.allowed!;
    const message = COMMAND_MESSAGES.mediaLimit({ used: inMb(used), plan, allowed: inMb(allowed) });
    return reject('resource_limit', message, { resource: 'media_bytes', existing: used, allowed, plan });
  }
}

const inMb = (bytes: number): string => String(Math.round((bytes / 1_048_576) * 10) / 10);

/** Deletes an uploaded file: no answer shows it any more, and the store's copy is erased within a minute (D-56). */
@Injectable()
export class DeleteMedia {
  constructor(
    private readonly aggregates: AggregateStore,
    private readonly holds: UploadHolds,
  ) {}

  /**
   * Refuses a file that a post needs (`media_in_use`), unless its owner is deleted.
   * @param renewedAt deletes only if the content was not uploaded again since
   */
  async execute(
    context: CommandContext,
    mediaId: string,
    reason: MediaDeletionReason,
    renewedAt?: Instant,
  ): Promise<CommandOutcome> {
    const command = { type: 'DeleteMedia', mediaId, reason, ...(renewedAt !== undefined && { renewedAt }) } as const;
    const remove = async () => toOutcome(await this.aggregates.execute(media, mediaId, command, context));
    return reason === 'owner_deleted' ? remove() : this.holds.deleteUnneeded(mediaId, remove);
  }
}
