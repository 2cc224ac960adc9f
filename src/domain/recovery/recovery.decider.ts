import { assertNever, type Decider } from '../../kernel/events.js';
import type {
  RecoveryConfirmed,
  RecoveryEvent,
  RecoveryLookedUp,
  RecoveryMarked,
  RecoveryStarted,
} from './recovery.events.js';

/** An event that a process has seen and the log no longer contains. */
export interface LossClaim {
  readonly position: bigint;
  /** Id of the latest recovery before that event; `none` if there was none. */
  readonly epoch: string;
}

/** Commands to the recovery of the log. */
export type RecoveryCommand =
  | ({
      readonly type: 'StartRecovery';
      /** Null if nothing was seen that is missing now. */
      readonly claim: LossClaim | null;
    } & Omit<RecoveryStarted['data'], 'covers'>)
  | ({ readonly type: 'MarkRecovered' } & RecoveryMarked['data'])
  | ({ readonly type: 'MarkLookedUp' } & RecoveryLookedUp['data']);

/** The recoveries of a log, oldest first. */
export interface RecoveryState {
  readonly started: readonly RecoveryStarted['data'][];
  readonly markedIds: readonly string[];
  readonly lookedUpIds: readonly string[];
}

/** Epoch of a log without a recovery. */
export const FIRST_EPOCH = 'none';

export const epochOf = ({ started }: RecoveryState): string => started.at(-1)?.recoveryId ?? FIRST_EPOCH;

/** Returns the recovery whose posts are not all marked yet; null if there is none. */
export const openRecovery = ({ started, markedIds }: RecoveryState): RecoveryStarted['data'] | null => {
  const latest = started.at(-1);
  return latest && !markedIds.includes(latest.recoveryId) ? latest : null;
};

/** Returns whether the publications that the latest recovery put in doubt may still be found on their networks. */
export const isLookingUp = ({ started, lookedUpIds }: RecoveryState): boolean => {
  const latest = started.at(-1);
  return latest !== undefined && !lookedUpIds.includes(latest.recoveryId);
};

/**
 * Returns whether a recovery has already handled the loss of an event: it began where that event was, or before. Several
 * processes may notice the same loss, each by another event.
 */
export const isCovered = ({ started }: RecoveryState, { position, epoch }: LossClaim): boolean =>
  started.some(({ covers, end }) => covers.includes(epoch) && BigInt(end) < position);

/** The recoveries of an event store's log (D-80). */
export const recovery: Decider<RecoveryCommand, RecoveryState, RecoveryEvent> = {
  category: 'recovery',
  initial: { started: [], markedIds: [], lookedUpIds: [] },

  decide(command, state) {
    if (command.type === 'MarkRecovered') {
      const { type: _, ...data } = command;
      return openRecovery(state)?.recoveryId === data.recoveryId ? [{ type: 'RecoveryMarked', data }] : [];
    }
    if (command.type === 'MarkLookedUp') {
      const { type: _, ...data } = command;
      const isLatest = state.started.at(-1)?.recoveryId === data.recoveryId;
      return isLatest && isLookingUp(state) ? [{ type: 'RecoveryLookedUp', data }] : [];
    }
    const { type: _, claim, ...data } = command;
    const isClaimNew = claim !== null && !isCovered(state, claim);
    const isSettingNew = data.setting !== null && !state.started.some(({ setting }) => setting === data.setting);
    if (!isClaimNew && !isSettingNew) return [];
    const covers = [...new Set([epochOf(state), claim?.epoch ?? epochOf(state)])];
    return [{ type: 'RecoveryStarted', data: { ...data, covers } }];
  },

  evolve(state, event) {
    switch (event.type) {
      case 'RecoveryStarted':
        return { ...state, started: [...state.started, event.data] };
      case 'RecoveryMarked':
        return { ...state, markedIds: [...state.markedIds, event.data.recoveryId] };
      case 'RecoveryLookedUp':
        return { ...state, lookedUpIds: [...state.lookedUpIds, event.data.recoveryId] };
      default:
        return assertNever(event);
    }
  },
};

/** What one owner, or the operator for all, decided about held posts; the id is the owner's, or `all`. */
export const recoveryChoice: Decider<
  { readonly type: 'ConfirmRecovery' } & RecoveryConfirmed['data'],
  null,
  RecoveryConfirmed
> = {
  category: 'recoveryChoice',
  initial: null,
  decide: ({ type: _, ...data }) => [{ type: 'RecoveryConfirmed', data }],
  evolve: () => null,
};
