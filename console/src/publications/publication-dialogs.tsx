import { useNames } from '../api/things.js';
import { Confirmation, type Consequence, happens, risk, stays } from '../components/dialog.js';
import { SentenceText } from '../components/sentence.js';
import { toast } from '../components/toasts.js';
import { format, sentence } from '../i18n/format.js';
import { dialogMessages as m } from './messages.js';
import { cancelPost, cancelPublication, dismissPublication, resendPublication } from './publication-calls.js';
import type { Publication } from './states.js';

/** The publication that a dialog is about. */
export type Subject = Pick<Publication, 'id' | 'target_id' | 'sequence' | 'state'>;

interface DialogProps {
  readonly publication: Subject;
  readonly onClose: () => void;
}

/** Returns the messages, and a function that inserts the channel's name into a message. */
const useTexts = (channelId: string) => {
  const name = useNames().channel(channelId)?.name ?? m.thisChannel;
  return { m, say: (text: string) => <SentenceText of={sentence(text, { channel: { name } })} /> };
};

/**
 * Asks for confirmation before removing a publication from its queue. `isOther` is true if the screen shows a different
 * publication.
 */
export const CancelDialog = ({
  publication,
  onClose,
  isOther = false,
}: DialogProps & { readonly isOther?: boolean }) => {
  const { m, say } = useTexts(publication.target_id);
  return (
    <Confirmation
      title={isOther ? m.cancelNumberTitle(format.number(publication.sequence ?? 0)) : m.cancelTitle}
      consequences={[
        happens(say(m.cancelHappens)),
        happens(m.cancelNext),
        risk(m.cancelForGood),
        stays(m.cancelOthers),
      ]}
      verb={m.cancelVerb}
      isDanger
      run={async () => {
        await cancelPublication(publication.id);
        toast(say(m.cancelled));
      }}
      onClose={onClose}
    />
  );
};

interface CancelPostDialogProps {
  readonly postId: string;
  /** Number of waiting publications. */
  readonly queued: number;
  readonly onClose: () => void;
}

/** Asks for confirmation before cancelling all queued publications of a post. */
export const CancelPostDialog = ({ postId, queued, onClose }: CancelPostDialogProps) => (
  <Confirmation
    title={m.cancelPostTitle}
    consequences={[happens(m.cancelPostHappens(queued)), risk(m.cancelForGood), stays(m.cancelPostStays)]}
    verb={m.cancelPostVerb}
    isDanger
    run={async () => {
      const { cancelled } = await cancelPost(postId);
      toast(m.cancelledPost(cancelled));
    }}
    onClose={onClose}
  />
);

/**
 * Asks for confirmation before resending a publication that is in doubt or has failed, because readers may see it
 * twice.
 */
export const ResendDialog = ({ publication, onClose }: DialogProps) => {
  const { m, say } = useTexts(publication.target_id);
  return (
    <Confirmation
      title={m.resendTitle}
      consequences={[
        happens(say(m.resendHappens)),
        risk(publication.state === 'in_doubt' ? m.resendDouble : m.resendAgain),
        stays(m.resendParts),
        stays(m.resendOthers),
      ]}
      verb={m.resendVerb}
      run={async () => {
        await resendPublication(publication.id);
        toast(say(m.resent));
      }}
      onClose={onClose}
    />
  );
};

/** Asks for confirmation before closing a failed publication permanently. */
export const DismissDialog = ({ publication, onClose }: DialogProps) => {
  const { m, say } = useTexts(publication.target_id);
  return (
    <Confirmation
      title={m.dismissTitle}
      consequences={[happens(m.dismissHappens), risk(m.dismissForGood), stays(m.resendOthers)]}
      verb={m.dismissVerb}
      run={async () => {
        await dismissPublication(publication.id);
        toast(say(m.dismissed));
      }}
      onClose={onClose}
    />
  );
};

/** Returns a function that marks a publication in doubt as published, and confirms this with a message. */
export const useSettle = (publication: Subject): (() => Promise<void>) => {
  const { m, say } = useTexts(publication.target_id);
  return async () => {
    await dismissPublication(publication.id);
    toast(say(m.settled));
  };
};
