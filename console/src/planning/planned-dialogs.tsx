import { Confirmation, happens, risk } from '../components/dialog.js';
import { toast } from '../components/toasts.js';
import { cancelPost } from '../publications/publication-calls.js';
import { planningMessages as m } from './messages.js';
import { type Planned, refusalOf, reschedule } from './planning-calls.js';

interface DialogProps {
  readonly post: Planned;
  readonly onClose: () => void;
}

/** Asks for confirmation before publishing a planned post now, because that cannot be undone. */
export const PublishNowDialog = ({ post, onClose }: DialogProps) => (
  <Confirmation
    title={m.publishNowTitle}
    consequences={[happens(m.publishNowHappens), risk(m.publishNowRisk)]}
    verb={m.publishNowVerb}
    run={async () => {
      await reschedule(post, null);
      toast(m.publishedNow);
    }}
    explain={(error) => refusalOf(error, m)}
    onClose={onClose}
  />
);

/** Asks for confirmation before cancelling a planned post. */
export const CancelPlannedDialog = ({ post, onClose }: DialogProps) => (
  <Confirmation
    title={m.cancelTitle}
    consequences={[happens(m.cancelHappens), risk(m.cancelRisk)]}
    verb={m.cancelVerb}
    isDanger
    run={async () => {
      await cancelPost(post.id);
      toast(m.cancelled);
    }}
    explain={(error) => refusalOf(error, m)}
    onClose={onClose}
  />
);
