import { CHANGE_MESSAGES } from './messages.js';
import type { DeleteOutcome, PublishError, StepOutcome } from './publisher.js';

/** Code in a network's table of refused changes: there is no such message. */
const NOT_THERE = 'not_there';

/** Codes of refusals, with their categories (D-35). */
const REFUSALS: Readonly<Record<string, PublishError['category']>> = {
  too_old: 'platform',
  no_right_to_delete: 'channel',
  user_token_needed: 'credentials',
};

/** Returns a refusal of this message. */
export const refusedDelete = (
  code: 'too_old' | 'no_right_to_delete' | 'user_token_needed' | 'chat_changed' | 'refused',
  { message, source, platform_says }: Omit<PublishError, 'code' | 'category'>,
): Extract<DeleteOutcome, { kind: 'refused' }> => {
  const category = code === 'chat_changed' ? 'channel' : (REFUSALS[code] ?? 'platform');
  return {
    kind: 'refused',
    error: { code, category, source, message, ...(platform_says !== undefined && { platform_says }) },
  };
};

/**
 * Returns what the failure of a call that deletes means. Rows of the network's table of refused changes decide by their
 * codes; a failure that only the table for posts knows says nothing about deleting, so its advice is replaced.
 * @param network its display name, @param source its identifier
 */
export const toDeleteOutcome = (outcome: StepOutcome, network: string, source: string): DeleteOutcome => {
  switch (outcome.kind) {
    case 'retry':
    case 'needs_attention':
      return outcome;
    case 'moved': {
      const { platform_says } = outcome;
      const message = CHANGE_MESSAGES.chatMoved({ network });
      return refusedDelete('chat_changed', { message, source, ...(platform_says !== undefined && { platform_says }) });
    }
    case 'failed': {
      const { error } = outcome;
      if (error.code === NOT_THERE) return { kind: 'not_there' };
      if (Object.hasOwn(REFUSALS, error.code)) return refusedDelete(error.code as 'no_right_to_delete', error);
      const message = error.category === 'internal' ? error.message : CHANGE_MESSAGES.deleteRefused({ network });
      return refusedDelete('refused', { ...error, message });
    }
    case 'in_doubt':
      return { kind: 'retry', named: false, afterMs: null, error: outcome.error };
    case 'done':
      throw new Error(`${source}: a failure that succeeded`);
  }
};

/**
 * Checks whether a message whose deletion was refused still exists: if not, there is nothing to delete.
 * @param lookUp true if the message is there, false if not; otherwise the outcome of the look-up
 */
export const settleByLookUp = async (
  refusal: DeleteOutcome,
  lookUp: () => Promise<boolean | StepOutcome>,
): Promise<DeleteOutcome> => {
  const found = await lookUp();
  if (found === false) return { kind: 'not_there' };
  // A refused look-up says nothing about posting (D-71) or about the message.
  return typeof found === 'object' && found.kind === 'retry' ? found : refusal;
};
