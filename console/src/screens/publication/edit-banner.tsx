import type { Api } from '../../api/management.js';
import type { Names } from '../../api/things.js';
import { Button, ButtonLink } from '../../components/button.js';
import { useSave } from '../../components/form.js';
import { GatewayText } from '../../components/sentence.js';
import { toast } from '../../components/toasts.js';
import { format } from '../../i18n/format.js';
import { defineMessages, pluralEn, pluralRu } from '../../i18n/messages.js';
import { contentOf, editPost } from '../../publications/edit-calls.js';
import { dismissPublication } from '../../publications/publication-calls.js';
import type { Publication } from '../../publications/states.js';
import { RefusalList } from './banner-refusals.js';
import { BannerFrame } from './planned-banner.js';

/** Codes of refusals that may end after a change on the network. The others come from the content itself. */
const MAY_END: ReadonlySet<string> = new Set([
  'no_right_to_edit',
  'user_token_needed',
  'channel_deleted',
  'chat_changed',
  'gave_up',
  'refused',
]);

const isFailed = ({ edit }: Publication): boolean => edit?.state === 'failed';

/** Returns whether an edit of a publication is under way or failed. */
export const isEditOpen = ({ edit }: Publication): boolean => edit !== null;

interface EditBannerProps {
  readonly post: Api<'PostWithPayload'>;
  /** The post's publications whose edit is under way or failed; at least one. */
  readonly publications: readonly Publication[];
  readonly names: Names;
}

/** Shows where readers do not see the newest content yet, and why; the same content can be tried again. */
export const EditBanner = ({ post, publications, names }: EditBannerProps) => {
  const failed = publications.filter(isFailed);
  const going = publications.filter((each) => !isFailed(each));
  const count = failed.length > 0 ? failed.length : going.length;
  const waits = going.flatMap(({ id, edit }) => (edit?.waiting_for ? [{ id, text: edit.waiting_for.text }] : []));
  return (
    <BannerFrame
      icon={failed.length > 0 ? 'onHold' : 'compose'}
      tone={failed.length > 0 ? 'warn' : 'go'}
      title={(failed.length > 0 ? m.failed : m.going)(count, format.number(count))}
      actions={failed.length > 0 && <Actions post={post} failed={failed} />}
    >
      {failed.length > 0 && <RefusalList publications={failed} names={names} errorOf={errorOf} />}
      {failed.length > 0 && going.length > 0 && <p>{m.going(going.length, format.number(going.length))}</p>}
      {waits.map(({ id, text }) => (
        <p key={id}>
          <GatewayText text={text} />
        </p>
      ))}
    </BannerFrame>
  );
};

const errorOf = ({ edit }: Publication) => edit?.error;

/** Buttons to edit what failed in another way, or to leave it, after which it needs no one's attention. */
const Actions = ({ post, failed }: Pick<EditBannerProps, 'post'> & { readonly failed: readonly Publication[] }) => {
  // Editing again only helps on networks that allow edits.
  const mayChange = failed.some(({ edit }) => edit?.error?.code !== 'edit_unsupported');
  const mayTry = failed.some(({ edit }) => MAY_END.has(edit?.error?.code ?? ''));
  const { save: tryAgain, isBusy } = useSave(async () => {
    await editPost(post.id, post.revision, contentOf(post.payload ?? {}));
    toast(m.trying);
  });
  const { save: leave, isBusy: isLeaving } = useSave(async () => {
    for (const { id } of failed) await dismissPublication(id);
    toast(m.left);
  });
  return (
    <>
      {mayTry && post.payload !== null && (
        <Button needs="PUT /posts/{id}/content" look="primary" busy={isBusy} onClick={tryAgain}>
          {m.tryAgain}
        </Button>
      )}
      {mayChange && post.payload !== null && (
        <ButtonLink to="/compose" search={{ post: post.id }}>
          {m.change}
        </ButtonLink>
      )}
      <Button needs="POST /publications/{id}/dismiss" busy={isLeaving} onClick={leave}>
        {m.leave}
      </Button>
    </>
  );
};

const channelsEn = (count: number, shown: string): string => `${shown} ${pluralEn(count, 'channel', 'channels')}`;
const channelsRu = (count: number, shown: string): string =>
  `${shown} ${pluralRu(count, 'канале', 'каналах', 'каналах')}`;

const m = defineMessages({
  en: {
    failed: (count: number, shown: string) =>
      `Not edited on ${channelsEn(count, shown)}: readers see an older version.`,
    going: (count: number, shown: string) => `Being edited on ${channelsEn(count, shown)}.`,
    tryAgain: 'Try again',
    change: 'Change the content',
    trying: 'Being edited again.',
    leave: 'Leave it',
    left: 'Left as it is.',
  },
  ru: {
    failed: (count: number, shown: string) => `Не изменён в ${channelsRu(count, shown)}: читатели видят старую версию.`,
    going: (count: number, shown: string) => `Изменяется в ${channelsRu(count, shown)}.`,
    tryAgain: 'Попробовать ещё раз',
    change: 'Изменить содержимое',
    trying: 'Изменяется ещё раз.',
    leave: 'Оставить',
    left: 'Оставлено как есть.',
  },
});
