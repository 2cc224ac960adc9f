import type { AggregateStore } from '../event-store/aggregate-store.js';
import type { CommandContext } from '../event-store/codec.js';
import type { Decider } from '../kernel/decider.js';
import { type DomainEvent, ownerOfActor } from '../kernel/events.js';
import { RESOURCE_MESSAGES } from '../kernel/messages.js';
import { reject, type Rejection } from '../kernel/result.js';

/**
 * Rejects an owner's command if it concerns another owner's projects or channels, or their pauses or publications.
 * Pauses and publications do not name their owner, but their project or channel does. Reads nothing for other actors.
 * @param ids the projects or channels that the command changes
 * @returns null if the actor may execute the command
 * @throws Unavailable
 */
export const rejectForeign = async <S, E extends DomainEvent>(
  aggregates: AggregateStore,
  decider: Decider<never, S, E, string>,
  ids: readonly string[],
  { actor }: CommandContext,
): Promise<Rejection<'not_found'> | null> => {
  const caller = ownerOfActor(actor);
  if (caller === null) return null;
  for (const id of ids) {
    const { state } = await aggregates.loadAggregate(decider, id);
    if (decider.ownerOf?.(state, id) !== caller)
      return reject('not_found', RESOURCE_MESSAGES.notFound({ what: decider.category }));
  }
  return null;
};
