import { useNames } from '../api/things.js';
import { Confirmation, happens, risk, stays } from '../components/dialog.js';
import { SentenceText } from '../components/sentence.js';
import { toast } from '../components/toasts.js';
import { format, sentence } from '../i18n/format.js';
import { defineMessages, pluralEn, pluralRu } from '../i18n/messages.js';
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

/** UI text for the cancel, resend and dismiss dialogs. */
const m = defineMessages({
  en: {
    cancelTitle: 'Cancel this publication?',
    cancelNumberTitle: (number: string) => `Cancel number ${number}?`,
    cancelHappens: 'It is removed from the queue of {channel} and won’t be sent there.',
    cancelNext: 'The posts behind it move up.',
    cancelOthers: 'The same post on other channels is not affected.',
    cancelForGood: 'This can’t be undone. To publish the text there later, send a new post.',
    cancelVerb: 'Cancel the publication',
    cancelled: 'Cancelled. It won’t be sent to {channel}.',
    cancelPostTitle: 'Cancel all queued publications?',
    cancelPostHappens: (count: number) =>
      `${count} ${pluralEn(count, 'publication is', 'publications are')} removed from the queue and never sent.`,
    cancelPostStays: 'Anything already published stays on the channels.',
    cancelPostVerb: 'Cancel all queued',
    cancelledPost: (count: number) => `${count} ${pluralEn(count, 'publication', 'publications')} cancelled.`,
    resendTitle: 'Send it again?',
    resendHappens: 'The post joins the queue of {channel} again.',
    resendDouble: 'If it was published after all, readers will see it twice.',
    resendParts: 'Parts that are confirmed, such as uploaded photos, are not repeated.',
    resendAgain: 'If the cause hasn’t been fixed, it will fail again.',
    resendOthers: 'The other channels of this post are not affected.',
    resendVerb: 'Send again',
    resent: 'It is being sent to {channel} again.',
    dismissTitle: 'Dismiss this publication?',
    dismissHappens: 'It is closed and no longer listed as failed.',
    dismissForGood: 'It can’t be sent again after that. To publish the text there later, send a new post.',
    dismissVerb: 'Dismiss',
    dismissed: 'Dismissed. It won’t be sent to {channel} again.',
    settled: 'Marked as published on {channel}. It won’t be sent again.',
    thisChannel: 'this channel',
  },
  ru: {
    cancelTitle: 'Отменить публикацию?',
    cancelNumberTitle: (number: string) => `Отменить номер ${number}?`,
    cancelHappens: 'Пост уйдёт из очереди канала {channel} и не будет туда отправлен.',
    cancelNext: 'Следующие посты сдвинутся вперёд.',
    cancelOthers: 'На других каналах с этим постом ничего не изменится.',
    cancelForGood: 'Вернуть его в очередь нельзя. Чтобы опубликовать текст позже, отправьте новый пост.',
    cancelVerb: 'Отменить публикацию',
    cancelled: 'Отменено: в {channel} пост не выйдет.',
    cancelPostTitle: 'Отменить всё, что в очереди?',
    cancelPostHappens: (count: number) =>
      `${count} ${pluralRu(count, 'публикация уйдёт', 'публикации уйдут', 'публикаций уйдут')} из очереди и не ${pluralRu(count, 'будет отправлена', 'будут отправлены', 'будут отправлены')}.`,
    cancelPostStays: 'То, что уже вышло, останется в каналах.',
    cancelPostVerb: 'Отменить всё в очереди',
    cancelledPost: (count: number) =>
      `${pluralRu(count, 'Отменена', 'Отменены', 'Отменено')} ${count} ${pluralRu(count, 'публикация', 'публикации', 'публикаций')}.`,
    resendTitle: 'Отправить снова?',
    resendHappens: 'Пост снова отправится в {channel} в порядке очереди.',
    resendDouble: 'Если он всё же вышел, читатели увидят его дважды.',
    resendParts: 'Подтверждённые части, например загруженные фото, не повторятся.',
    resendAgain: 'Если причина ошибки не устранена, попытка снова не удастся.',
    resendOthers: 'На других каналах с этим постом ничего не изменится.',
    resendVerb: 'Отправить снова',
    resent: 'Пост снова отправляется в {channel}.',
    dismissTitle: 'Снять публикацию?',
    dismissHappens: 'Она закроется и больше не будет числиться среди ошибок.',
    dismissForGood: 'Отправить её снова будет нельзя. Чтобы опубликовать текст позже, отправьте новый пост.',
    dismissVerb: 'Снять',
    dismissed: 'Снято: в {channel} пост больше не отправляется.',
    settled: 'Отмечено: в {channel} пост вышел. Снова он не отправится.',
    thisChannel: 'этот канал',
  },
});
