import type { Names } from '../../api/things.js';
import { Button, ExternalLink } from '../../components/button.js';
import { useSave } from '../../components/form.js';
import type { IconName, Tone } from '../../components/icon.js';
import { GatewayText, SentenceText } from '../../components/sentence.js';
import { toast } from '../../components/toasts.js';
import { format, sentence } from '../../i18n/format.js';
import { defineMessages, pluralEn, pluralRu } from '../../i18n/messages.js';
import { dismissPublication, takeBack } from '../../publications/publication-calls.js';
import { countMessages, isBeingTakenBack } from '../../publications/shown-state.js';
import type { Publication } from '../../publications/states.js';
import { Refusal, RefusalList } from './banner-refusals.js';
import { publicationMessages as shared } from './messages.js';
import { BannerFrame } from './planned-banner.js';
import { useActor } from './step-parts.js';

type Phase = 'failed' | 'going' | 'done' | 'notSent';

/** Returns how far the take-back of a publication is; null if there is none, or if a person left the messages. */
const phaseOf = (publication: Publication): Phase | null => {
  const { state, withdrawal } = publication;
  if (!withdrawal) return null;
  if (state === 'withdraw_failed') return 'failed';
  if (isBeingTakenBack(publication)) return 'going';
  if (state === 'withdrawn') return 'done';
  return state === 'dismissed' && withdrawal.remaining.length === 0 ? 'notSent' : null;
};

/** Returns whether a publication is being or was taken back, or could not be. */
export const isTakenBack = (publication: Publication): boolean => phaseOf(publication) !== null;

const LOOKS: Readonly<Record<Phase, { readonly icon: IconName; readonly tone: Tone }>> = {
  failed: { icon: 'failed', tone: 'fail' },
  going: { icon: 'takenBack', tone: 'go' },
  done: { icon: 'takenBack', tone: 'idle' },
  notSent: { icon: 'takenBack', tone: 'idle' },
};

interface WithdrawalBannerProps {
  /** The post's publications that were taken back; at least one. */
  readonly publications: readonly Publication[];
  readonly names: Names;
  /** True on the page of a publication, false on that of its post. */
  readonly isOfOne?: boolean;
}

/** Shows who took a post back and why, how far that is and, where a network refuses, what to do. */
export const WithdrawalBanner = ({ publications, names, isOfOne = false }: WithdrawalBannerProps) => {
  const of = (phase: Phase) => publications.filter((each) => phaseOf(each) === phase);
  const [failed, going] = [of('failed'), of('going')];
  const phase = (['failed', 'going', 'done', 'notSent'] as const).find((each) => of(each).length > 0) ?? 'done';
  const count = phase === 'failed' ? failed.length : phase === 'going' ? going.length : publications.length;
  const title = isOfOne ? m.title[phase] : m.titles[phase](count, format.number(count));
  return (
    <BannerFrame
      {...LOOKS[phase]}
      title={title}
      actions={failed.length > 0 && <Actions failed={failed} isOfOne={isOfOne} />}
    >
      {isOfOne && failed.map((each) => <Refusal key={each.id} publication={each} errorOf={errorOf} />)}
      {!isOfOne && failed.length > 0 && <RefusalList publications={failed} names={names} errorOf={errorOf} />}
      {going.length > 0 && <Progress publications={going} isOfOne={isOfOne} />}
      <Request publications={publications} isOver={phase === 'done' || phase === 'notSent'} />
    </BannerFrame>
  );
};

const errorOf = ({ withdrawal }: Publication) => withdrawal?.error;

/** How many messages are deleted, and what delays the rest. */
const Progress = ({ publications, isOfOne }: Pick<WithdrawalBannerProps, 'publications' | 'isOfOne'>) => {
  const counts = publications.map(countMessages);
  const all = counts.reduce((sum, each) => sum + each.all, 0);
  const left = counts.reduce((sum, each) => sum + each.left, 0);
  const waits = isOfOne ? publications[0]?.withdrawal?.waiting_for?.text : undefined;
  return (
    <>
      {publications.some(({ state }) => state === 'publishing') && <p>{m.afterSending}</p>}
      {all === 1 && <p>{m.notDeleted}</p>}
      {all > 1 && <p>{m.deleted(format.number(all - left), format.number(all))}</p>}
      {waits !== undefined && (
        <p>
          <GatewayText text={waits} />
        </p>
      )}
    </>
  );
};

/** Who asked for the latest take-back, when and why. */
const Request = ({
  publications,
  isOver,
}: Pick<WithdrawalBannerProps, 'publications'> & { readonly isOver: boolean }) => {
  const actorName = useActor();
  const latest = publications
    .flatMap(({ withdrawal }) => withdrawal ?? [])
    .toSorted((a, b) => Date.parse(b.requested_at) - Date.parse(a.requested_at))[0];
  if (!latest) return null;
  const { by, reason, requested_at: requestedAt } = latest;
  return (
    <p>
      <SentenceText
        of={sentence(isOver ? m.took : m.asked, { who: actorName({ actor: by }), at: { at: requestedAt } })}
      />{' '}
      {reason !== null && <SentenceText of={sentence(shared.reason, { reason: { name: reason } })} />}
    </p>
  );
};

/** Buttons to take back again what a network refused to delete, or to leave it. */
const Actions = ({ failed, isOfOne }: { readonly failed: readonly Publication[]; readonly isOfOne: boolean }) => {
  const { save: tryAgain, isBusy: isTrying } = useSave(async () => {
    const targets = failed.map(({ target_id: id }) => id);
    await takeBack(failed[0]?.post_id ?? '', { targets, reason: failed[0]?.withdrawal?.reason ?? null });
    toast(m.trying);
  });
  const { save: leave, isBusy: isLeaving } = useSave(async () => {
    for (const { id } of failed) await dismissPublication(id);
    toast(m.left);
  });
  const [url] = failed[0]?.urls ?? [];
  return (
    <>
      <Button needs="POST /posts/{id}/withdraw" look="primary" busy={isTrying} onClick={tryAgain}>
        {m.tryAgain}
      </Button>
      {isOfOne && url !== undefined && (
        <ExternalLink href={url} look="plain">
          {shared.open}
        </ExternalLink>
      )}
      <Button needs="POST /publications/{id}/dismiss" busy={isLeaving} onClick={leave}>
        {m.leave}
      </Button>
    </>
  );
};

const m = defineMessages({
  en: {
    title: {
      failed: 'It could not be taken back.',
      going: 'It is being taken back.',
      done: 'Taken back. Readers no longer see it.',
      notSent: 'Taken back before it was sent.',
    },
    titles: {
      failed: (count: number, shown: string) =>
        `It could not be taken back on ${shown} ${pluralEn(count, 'channel', 'channels')}.`,
      going: (count: number, shown: string) =>
        `It is being taken back on ${shown} ${pluralEn(count, 'channel', 'channels')}.`,
      done: (count: number, shown: string) =>
        `Taken back on ${shown} ${pluralEn(count, 'channel', 'channels')}. Readers no longer see it there.`,
      notSent: (count: number, shown: string) =>
        `Taken back on ${shown} ${pluralEn(count, 'channel', 'channels')} before it was sent.`,
    },
    afterSending: 'It is still being sent. Whatever appears is deleted right after.',
    notDeleted: 'Its message is not deleted yet.',
    deleted: (done: string, all: string) => `${done} of ${all} messages deleted.`,
    asked: '{who} asked for this at {at}.',
    took: '{who} took it back at {at}.',
    tryAgain: 'Try again',
    leave: 'Leave it',
    trying: 'Being taken back again.',
    left: 'Left as it is.',
  },
  ru: {
    title: {
      failed: 'Отозвать не удалось.',
      going: 'Публикация отзывается.',
      done: 'Отозвано. Читатели этого больше не видят.',
      notSent: 'Отозвано до отправки.',
    },
    titles: {
      failed: (count: number, shown: string) =>
        `Не удалось отозвать из ${shown} ${pluralRu(count, 'канала', 'каналов', 'каналов')}.`,
      going: (count: number, shown: string) =>
        `Отзывается из ${shown} ${pluralRu(count, 'канала', 'каналов', 'каналов')}.`,
      done: (count: number, shown: string) =>
        `Отозвано из ${shown} ${pluralRu(count, 'канала', 'каналов', 'каналов')}. Читатели там этого больше не видят.`,
      notSent: (count: number, shown: string) =>
        `Отозвано из ${shown} ${pluralRu(count, 'канала', 'каналов', 'каналов')} до отправки.`,
    },
    afterSending: 'Пост ещё отправляется. Всё, что появится, сразу удалится.',
    notDeleted: 'Сообщение ещё не удалено.',
    deleted: (done: string, all: string) => `Удалено сообщений: ${done} из ${all}.`,
    asked: 'Кто запросил: {who}, {at}.',
    took: 'Кто отозвал: {who}, {at}.',
    tryAgain: 'Попробовать ещё раз',
    leave: 'Оставить',
    trying: 'Отзывается ещё раз.',
    left: 'Оставлено как есть.',
  },
});
