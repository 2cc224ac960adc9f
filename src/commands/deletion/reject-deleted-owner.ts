import { owner } from '../../domain/owner/owner.decider.js';
import type { AggregateStore } from '../../event-store/aggregate-store.js';
import { reject, type Rejection } from '../../kernel/result.js';
import { COMMAND_MESSAGES } from '../messages.js';

/**
 * Returns a rejection if an owner was deleted, else null. Reads the owner's stream, not a read model.
 * @throws Unavailable
 */
export const rejectDeletedOwner = async (
  aggregates: AggregateStore,
  ownerId: string,
): Promise<Rejection<'not_found'> | null> => {
  const { state } = await aggregates.loadAggregate(owner, ownerId);
  return state?.deleted ? reject('not_found', COMMAND_MESSAGES.ownerDeleted) : null;
};
