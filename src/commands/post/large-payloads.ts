import { hash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { PayloadParts, PayloadPartStored } from '../../domain/post/post.events.js';
import { ErasureNotes } from '../../erasure/erasure-notes.js';
import { AggregateStore } from '../../event-store/aggregate-store.js';
import { CLOCK, type Clock } from '../../kernel/clock.js';
import type { Origin } from '../../kernel/events.js';
import { payloadStreamName } from '../../projections/posts/post-payloads.js';
import { appendInParts, type CommandContext, newCommandContext } from '../command.js';
import { AcceptanceLimit } from '../plan-limits.js';

/** How long parts may wait for their post to be accepted before they are erased, in ms. */
const PARTS_LOOKED_AT_MS = 3_600_000;
/** How long to keep parts that this process no longer needs, in ms. Longer than any append takes. */
const UNNEEDED_PARTS_LOOKED_AT_MS = 120_000;
/** Time limit from the first part to the acceptance, in ms; shorter than {@link PARTS_LOOKED_AT_MS}. */
const ACCEPTED_WITHIN_MS = 600_000;

/** A payload that is about to be stored in parts. */
export interface LargePayload {
  readonly postId: string;
  readonly ownerId: string;
  /** Names the stream of the parts: see {@link PayloadParts.id}. */
  readonly id: string;
  readonly bytes: Buffer;
  /** Streams that may receive the event that refers to the parts. */
  readonly streams: readonly string[];
}

/** Stores large payloads in parts before the event that refers to them (D-42, ADR-109). */
@Injectable()
export class LargePayloads {
  constructor(
    private readonly aggregates: AggregateStore,
    private readonly notes: ErasureNotes,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * Stores a payload, then appends the event that refers to it.
   * @param use appends the event, before the limit is reached; returns `isUsed` false if no event refers to the parts
   * @throws Unavailable
   */
  async storeAndUse<R>(
    large: LargePayload,
    origin: Origin,
    use: (parts: PayloadParts, limit: AcceptanceLimit) => Promise<{ readonly result: R; readonly isUsed: boolean }>,
  ): Promise<R> {
    const limit = new AcceptanceLimit(ACCEPTED_WITHIN_MS, this.clock);
    const stream = payloadStreamName(large.id);
    // Add the note before writing the first part, so that parts left without a post are always found.
    const note = (inMs: number) => this.notes.add('payload', stream, { inMs }, large.streams);
    await note(PARTS_LOOKED_AT_MS);
    // If this note fails, the first note is still valid.
    const noteUnneeded = () => note(UNNEEDED_PARTS_LOOKED_AT_MS).catch(() => undefined);
    let parts: PayloadParts;
    try {
      parts = await this.store(stream, large, origin, limit);
    } catch (error) {
      await noteUnneeded();
      throw error;
    }
    const { result, isUsed } = await use(parts, limit);
    if (!isUsed) await noteUnneeded();
    return result;
  }

  /**
   * Writes a payload in parts, because an event is limited to 1 MiB. Large payloads below that limit are written in
   * parts too, because many readers of the event do not need the payload.
   */
  private async store(
    stream: string,
    { postId, ownerId, id, bytes }: LargePayload,
    origin: Origin,
    limit: AcceptanceLimit,
  ): Promise<PayloadParts> {
    const at = this.clock.now();
    const describe = (index: number, chunk: string): [PayloadPartStored, CommandContext] => [
      { type: 'PayloadPartStored', data: { postId, index, chunk } },
      { ...newCommandContext(origin, `part ${index}`, at), contentOwner: ownerId },
    ];
    const count = await appendInParts(this.aggregates, stream, bytes, describe, limit);
    const parts = { count, sha256: hash('sha256', bytes) };
    return id === postId ? parts : { ...parts, id };
  }
}
