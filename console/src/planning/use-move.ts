import { toast, toastError } from '../components/toasts.js';
import { planningMessages as m } from './messages.js';
import { type Planned, reschedule } from './planning-calls.js';
import { formatWhen } from './use-when.js';

/** A planned post with its time. */
export type Movable = Planned & { readonly publish_at: string | null };

/**
 * Returns a function that moves a post, confirms this with a message, and offers to undo it if the post had a time. If
 * the move fails, for example because someone else changed the post first, it shows why and resolves to false.
 */
export const useMove = (): ((post: Movable, at: number) => Promise<boolean>) => async (post, at) => {
  try {
    const { revision } = await reschedule(post, at);
    const before = post.publish_at;
    const undo = (): void => {
      if (before === null) return;
      reschedule({ id: post.id, revision }, Date.parse(before)).catch((error: unknown) => toastError(error));
    };
    toast(m.moved(formatWhen(at)), before === null ? undefined : { label: m.undo, run: undo });
    return true;
  } catch (error) {
    toastError(error);
    return false;
  }
};
