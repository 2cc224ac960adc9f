import { Confirmation, type Consequence, happens, risk } from '../components/dialog.js';
import { toast } from '../components/toasts.js';
import { format } from '../i18n/format.js';
import { useNow } from '../time/server-clock.js';
import { useHeldPosts } from './held-posts.js';
import { pauseMessages as m } from './messages.js';
import { type Pausable, resume } from './pause-calls.js';

/** Ends the pause of a channel or project, after showing which posts will then be published. */
export const ResumeDialog = ({ thing, onClose }: { readonly thing: Pausable; readonly onClose: () => void }) => {
  const now = useNow(1000);
  const held = useHeldPosts(thing.kind === 'channel' ? thing.id : null);
  const goOut = (): string => {
    if (thing.kind === 'project') return m.heldOfProjectGo;
    const { count, isMore } = held ?? { count: 0, isMore: false };
    if (count === 0) return m.nothingHeld;
    if (count === 1) return m.oneGoes;
    const last = !isMore ? ` ${m.lastAt(format.moment(now + (count - 1) * 60_000, now))}` : '';
    return m.heldGo(count, isMore) + last;
  };
  const consequences: readonly Consequence[] = [happens(goOut()), risk(m.cannotUndo)];
  return (
    <Confirmation
      title={
        <>
          {m.resumeTitle} <bdi>{thing.name}</bdi>
        </>
      }
      consequences={consequences}
      verb={m.resumeNow}
      run={async () => {
        await resume(thing);
        toast(m.resumed(thing.name));
      }}
      onClose={onClose}
    />
  );
};
