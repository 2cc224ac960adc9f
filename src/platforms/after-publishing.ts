import type { LocatedMedium } from '../payload/payload.js';
import { sourceOf } from '../payload/uploads.js';
import { CHANGE_MESSAGES } from './messages.js';
import type { DeleteOutcome, EditOutcome, EditRefusal, PublishError, StepOutcome } from './publisher.js';

/** Code in a network's table of refused changes: there is no such message. */
const NOT_THERE = 'not_there';

/** Code in a network's table of refused changes: the message is as it should be already. */
const NOT_MODIFIED = 'not_modified';

/** Codes of refusals, with their categories (D-35). */
const REFUSALS: Readonly<Record<string, PublishError['category']>> = {
  too_old: 'platform',
  no_right_to_delete: 'channel',
  no_right_to_edit: 'channel',
  no_right_to_pin: 'channel',
  user_token_needed: 'credentials',
};

type RefusalCode =
  | 'too_old'
  | 'no_right_to_delete'
  | 'no_right_to_edit'
  | 'no_right_to_pin'
  | 'user_token_needed'
  | 'chat_changed'
  | 'refused';

/** Returns a refusal of this message. */
export const refusedChange = (
  code: RefusalCode,
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
export const toDeleteOutcome = (
  outcome: StepOutcome,
  network: string,
  source: string,
): Exclude<DeleteOutcome, { kind: 'deleted' }> => {
  switch (outcome.kind) {
    case 'retry':
    case 'needs_attention':
      return outcome;
    case 'moved': {
      const { platform_says } = outcome;
      const message = CHANGE_MESSAGES.chatMoved({ network });
      return refusedChange('chat_changed', { message, source, ...(platform_says !== undefined && { platform_says }) });
    }
    case 'failed': {
      const { error } = outcome;
      if (error.code === NOT_THERE) return { kind: 'not_there' };
      if (Object.hasOwn(REFUSALS, error.code)) return refusedChange(error.code as 'no_right_to_delete', error);
      const message = error.category === 'internal' ? error.message : CHANGE_MESSAGES.deleteRefused({ network });
      return refusedChange('refused', { ...error, message });
    }
    case 'in_doubt':
      return { kind: 'retry', named: false, afterMs: null, error: outcome.error };
    case 'done':
      throw new Error(`${source}: a failure that succeeded`);
  }
};

/**
 * Returns what the end of a call that edits or pins means, as {@link toDeleteOutcome} does. A network's words about the
 * content itself are kept: the same content would be refused in a new post.
 */
export const toEditOutcome = (
  outcome: StepOutcome,
  change: 'edit' | 'pin',
  network: string,
  source: string,
): EditOutcome => {
  if (outcome.kind === 'done') return { kind: 'done', result: outcome.result, changed: outcome.messageIds.length > 0 };
  if (outcome.kind === 'failed') {
    const { error } = outcome;
    if (error.code === NOT_MODIFIED) return { kind: 'done', result: {}, changed: false };
    if (error.code !== NOT_THERE && !Object.hasOwn(REFUSALS, error.code)) {
      const isUnknown = error.code === 'refused' || error.category === 'platform';
      const refuse = change === 'edit' ? CHANGE_MESSAGES.editRefused : CHANGE_MESSAGES.pinRefused;
      const message = isUnknown ? refuse({ network }) : error.message;
      return { kind: 'refused', error: { ...error, code: 'refused', message } };
    }
  }
  const settled = toDeleteOutcome(outcome, network, source);
  return settled.kind === 'refused' && settled.error.code === 'chat_changed'
    ? refusedChange('chat_changed', { ...settled.error, message: CHANGE_MESSAGES.chatMovedSince({ network }) })
    : settled;
};

/** Outcome of a call that changed a message. */
export const CHANGED: EditOutcome = { kind: 'done', result: {}, changed: true };

/** Returns why an edit is impossible. */
export const cannotEdit = (code: string, message: string): EditRefusal => ({ refusal: { code, message } });

/**
 * Finds the published medium that each medium of the new content is: one of the same type, and with the same id or URL, each only once.
 * @returns for each new medium the published one's index; null for a new one
 */
export const matchMedia = (
  published: readonly LocatedMedium[],
  wanted: readonly LocatedMedium[],
): readonly (number | null)[] => {
  const left = new Set(published.keys());
  return wanted.map((medium) => {
    const isSame = (index: number): boolean =>
      published[index]!.type === medium.type && sourceOf(published[index]!) === sourceOf(medium);
    const found = [...left].find(isSame);
    if (found === undefined) return null;
    left.delete(found);
    return found;
  });
};

/**
 * Checks whether a message whose change was refused still exists: if not, there is nothing to change.
 * @param lookUp true if the message is there, false if not; otherwise the outcome of the look-up
 */
export const settleByLookUp = async <Outcome extends DeleteOutcome | EditOutcome>(
  refusal: Outcome,
  lookUp: () => Promise<boolean | StepOutcome>,
): Promise<Outcome | Extract<EditOutcome, { kind: 'not_there' | 'retry' }>> => {
  const found = await lookUp();
  if (found === false) return { kind: 'not_there' };
  // A refused look-up says nothing about posting (D-71) or about the message.
  return typeof found === 'object' && found.kind === 'retry' ? found : refusal;
};
