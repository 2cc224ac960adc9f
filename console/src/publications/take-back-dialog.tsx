import { useState } from 'react';
import { type Names } from '../api/things.js';
import { ChannelPicker } from '../channels/channel-picker.js';
import { TextField } from '../components/controls.js';
import { Confirmation, happens, risk, stays } from '../components/dialog.js';
import { networkInText, networkTitle } from '../components/networks.js';
import { SentenceText } from '../components/sentence.js';
import { toast } from '../components/toasts.js';
import { format, sentence } from '../i18n/format.js';
import { defineMessages, pluralEn, pluralRu } from '../i18n/messages.js';
import { takeBack } from './publication-calls.js';
import { mayBeSeen, type Publication } from './shown-state.js';

/** Maximum length of a reason, in characters. */
const LONGEST_REASON = 500;

const KINDS = ['published', 'going', 'inDoubt', 'waiting'] as const;

/** Returns what taking a publication back means. */
const kindOf = (publication: Publication): (typeof KINDS)[number] => {
  if (publication.state === 'publishing') return 'going';
  if (publication.state === 'in_doubt') return 'inDoubt';
  return mayBeSeen(publication) ? 'published' : 'waiting';
};

interface TakeBackDialogProps {
  /** Publications of one post, each of which can be taken back. */
  readonly publications: readonly Publication[];
  readonly names: Names;
  readonly onClose: () => void;
}

/** Asks on which channels a post is taken back, and why, and says what happens there. */
export const TakeBackDialog = ({ publications, names, onClose }: TakeBackDialogProps) => {
  const [chosen, setChosen] = useState<readonly string[]>(() => publications.map(({ target_id: id }) => id));
  const [reason, setReason] = useState('');
  const channels = publications.map(({ target_id: id, platform }) => {
    const channel = names.channel(id);
    return { id, platform, name: channel?.name ?? networkTitle(platform), address: channel?.address ?? {} };
  });
  const affected = publications.filter(({ target_id: id }) => chosen.includes(id));
  const waiting = affected.filter((each) => kindOf(each) === 'waiting').length;
  const [first] = channels;
  const only =
    channels.length === 1 && first ? { name: { name: first.name }, network: networkInText(first.platform) } : null;
  return (
    <Confirmation
      title={only ? <SentenceText of={sentence(m.titleOfOne, only)} /> : m.title}
      {...(!only && {
        fields: (
          <div className="dialog-form">
            <ChannelPicker label={m.channels} channels={channels} chosen={chosen} onChange={setChosen} />
          </div>
        ),
      })}
      consequences={[
        ...KINDS.map((kind) => {
          const count = affected.filter((each) => kindOf(each) === kind).length;
          return count > 0 && happens(only ? m.one[kind] : m.many[kind](count, format.number(count)));
        }),
        affected.length > 0 && risk(m.forGood),
        affected.length > waiting && risk(m.mayFail),
        affected.length < publications.length && stays(m.others),
      ]}
      verb={m.verb}
      isDanger
      isReady={affected.length > 0}
      run={async () => {
        const id = affected[0]?.post_id ?? '';
        const { withdrawing, cancelled } = await takeBack(id, { targets: chosen, reason: reason.trim() || null });
        toast(m.done(withdrawing, cancelled));
      }}
      onClose={onClose}
    >
      <div className="dialog-form">
        <TextField
          label={m.reason}
          hint={m.reasonHint}
          value={reason}
          maxLength={LONGEST_REASON}
          onChange={setReason}
        />
      </div>
    </Confirmation>
  );
};

const enChannels = (count: number, shown: string): string => `${shown} ${pluralEn(count, 'channel', 'channels')}`;
const ruToChannels = (count: number, shown: string): string =>
  `${shown} ${pluralRu(count, 'канал', 'канала', 'каналов')}`;
const ruInChannels = (count: number, shown: string): string =>
  `${shown} ${pluralRu(count, 'канале', 'каналах', 'каналах')}`;

const m = defineMessages({
  en: {
    title: 'Take this post back?',
    titleOfOne: 'Take this post back from {name} on {network}?',
    channels: 'Channels',
    one: {
      published: 'It is deleted there, and readers no longer see it.',
      going: 'It is being sent there right now: whatever appears is deleted.',
      inDoubt:
        'It is not known whether it was published: the gateway looks for it once more and deletes what it finds.',
      waiting: 'It is not sent there.',
    },
    many: {
      published: (count: number, shown: string) =>
        `Published on ${enChannels(count, shown)}: it is deleted there, and readers no longer see it.`,
      going: (count: number, shown: string) =>
        `Being sent to ${enChannels(count, shown)} right now: whatever appears there is deleted.`,
      inDoubt: (count: number, shown: string) =>
        `In doubt on ${enChannels(count, shown)}: the gateway looks for it once more and deletes what it finds.`,
      waiting: (count: number, shown: string) => `Waiting on ${enChannels(count, shown)}: it is not sent there.`,
    },
    forGood: 'This can’t be undone. To publish the text again later, send a new post.',
    mayFail: 'If a network refuses, for example because the post is too old, this page says what to do.',
    others: 'Nothing changes on the other channels.',
    reason: 'Reason',
    reasonHint: 'optional, stays in the history',
    verb: 'Take back',
    done: (withdrawing: number, cancelled: number) =>
      [
        withdrawing > 0 && `Being deleted on ${enChannels(withdrawing, String(withdrawing))}.`,
        cancelled > 0 && `Not sent to ${enChannels(cancelled, String(cancelled))}.`,
      ]
        .filter(Boolean)
        .join(' ') || 'It had already been taken back.',
  },
  ru: {
    title: 'Отозвать пост?',
    titleOfOne: 'Отозвать пост из «{name}» в {network}?',
    channels: 'Каналы',
    one: {
      published: 'Там он удалится, и читатели его больше не увидят.',
      going: 'Прямо сейчас он туда отправляется: всё, что появится, удалится.',
      inDoubt: 'Неизвестно, вышел ли он: шлюз поищет пост ещё раз и удалит найденное.',
      waiting: 'Туда он не уйдёт.',
    },
    many: {
      published: (count: number, shown: string) =>
        `Вышел в ${ruInChannels(count, shown)}: там он удалится, и читатели его больше не увидят.`,
      going: (count: number, shown: string) =>
        `Прямо сейчас отправляется в ${ruToChannels(count, shown)}: всё, что там появится, удалится.`,
      inDoubt: (count: number, shown: string) =>
        `Под вопросом в ${ruInChannels(count, shown)}: шлюз поищет пост ещё раз и удалит найденное.`,
      waiting: (count: number, shown: string) => `Ждёт в ${ruInChannels(count, shown)}: туда он не уйдёт.`,
    },
    forGood: 'Вернуть пост нельзя. Чтобы опубликовать текст позже, отправьте новый пост.',
    mayFail: 'Если сеть откажет, например потому что пост слишком старый, эта страница скажет, что делать.',
    others: 'В остальных каналах ничего не изменится.',
    reason: 'Причина',
    reasonHint: 'необязательно, останется в истории',
    verb: 'Отозвать',
    done: (withdrawing: number, cancelled: number) =>
      [
        withdrawing > 0 && `Удаляется в ${ruInChannels(withdrawing, String(withdrawing))}.`,
        cancelled > 0 && `Не уйдёт в ${ruToChannels(cancelled, String(cancelled))}.`,
      ]
        .filter(Boolean)
        .join(' ') || 'Пост уже был отозван.',
  },
});
