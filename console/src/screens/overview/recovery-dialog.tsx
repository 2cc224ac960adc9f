import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { management } from '../../api/management.js';
import { Segmented } from '../../components/controls.js';
import { Confirmation, type Consequence, happens, risk, stays } from '../../components/dialog.js';
import { toast } from '../../components/toasts.js';
import { format } from '../../i18n/format.js';
import { defineMessages, pluralEn, pluralRu } from '../../i18n/messages.js';
import { useScope } from '../../session/session.js';

/** UI text of the dialog that settles what a restore holds. */
export const m = defineMessages({
  en: {
    title: 'Settle the held posts',
    planned: (count: number, shown: string) => `${shown} planned ${pluralEn(count, 'post', 'posts')}`,
    keep: 'Keep',
    cancel: 'Cancel',
    inDoubt: (count: number, shown: string) => `${shown} ${pluralEn(count, 'publication', 'publications')} in doubt`,
    dismiss: 'Dismiss',
    resend: 'Send again',
    keeps: 'The planned posts are published at their time. Those whose time has passed are published now.',
    keepRisk: 'A post that was already published or cancelled in the lost time is published again.',
    cancels: 'The planned posts are cancelled for good.',
    resends: 'The publications in doubt are sent again.',
    resendRisk: 'A post that was already published in the lost time appears twice.',
    dismisses: 'The publications in doubt are not sent again.',
    settles: 'New posts are published as always.',
    verb: 'Settle all',
    settled: (planned: string, inDoubt: string) => `Settled: ${planned} planned posts, ${inDoubt} publications.`,
  },
  ru: {
    title: 'Решение по задержанным постам',
    planned: (count: number, shown: string) =>
      `${shown} ${pluralRu(count, 'запланированный пост', 'запланированных поста', 'запланированных постов')}`,
    keep: 'Оставить',
    cancel: 'Отменить',
    inDoubt: (count: number, shown: string) =>
      `${shown} ${pluralRu(count, 'сомнительная публикация', 'сомнительные публикации', 'сомнительных публикаций')}`,
    dismiss: 'Снять',
    resend: 'Отправить снова',
    keeps: 'Запланированные посты выйдут в своё время; те, чьё время прошло, — сразу.',
    keepRisk: 'Пост, который за потерянное время вышел или был отменён, выйдет снова.',
    cancels: 'Запланированные посты отменяются окончательно.',
    resends: 'Сомнительные публикации отправляются снова.',
    resendRisk: 'Пост, который за потерянное время уже вышел, появится дважды.',
    dismisses: 'Сомнительные публикации больше не отправляются.',
    settles: 'Новые посты выходят как обычно.',
    verb: 'Применить ко всем',
    settled: (planned: string, inDoubt: string) =>
      `Готово: запланированных постов — ${planned}, публикаций — ${inDoubt}.`,
  },
});

/** Asks what happens to everything that a restore holds, and settles all of it at once (D-80). */
export const RecoveryDialog = ({ onClose }: { readonly onClose: () => void }) => {
  const scope = useScope();
  const queries = useQueryClient();
  const [planned, setPlanned] = useState<'keep' | 'cancel'>('keep');
  const [inDoubt, setInDoubt] = useState<'dismiss' | 'resend'>('dismiss');
  const { data: held } = useQuery({
    queryKey: ['recovery', scope.key],
    queryFn: () => management().get('/recovery', { query: scope.query }),
  });
  const consequences: Consequence[] = [];
  if (held && held.planned > 0) {
    consequences.push(happens(planned === 'keep' ? m.keeps : m.cancels));
    if (planned === 'keep') consequences.push(risk(m.keepRisk));
  }
  if (held && held.in_doubt > 0) {
    consequences.push(happens(inDoubt === 'resend' ? m.resends : m.dismisses));
    if (inDoubt === 'resend') consequences.push(risk(m.resendRisk));
  }
  const run = async (): Promise<void> => {
    const body = { ...scope.query, planned, in_doubt: inDoubt };
    const settled = await management().post('/recovery/confirm', { body });
    for (const key of ['overview', 'recovery', 'posts', 'post']) void queries.invalidateQueries({ queryKey: [key] });
    toast(m.settled(format.number(settled.planned), format.number(settled.in_doubt)));
  };
  return (
    <Confirmation
      title={m.title}
      isReady={held !== undefined}
      fields={
        held && (
          <>
            {held.planned > 0 && (
              <Choice
                label={m.planned(held.planned, format.number(held.planned))}
                value={planned}
                options={[
                  { value: 'keep', label: m.keep },
                  { value: 'cancel', label: m.cancel },
                ]}
                onChange={setPlanned}
              />
            )}
            {held.in_doubt > 0 && (
              <Choice
                label={m.inDoubt(held.in_doubt, format.number(held.in_doubt))}
                value={inDoubt}
                options={[
                  { value: 'dismiss', label: m.dismiss },
                  { value: 'resend', label: m.resend },
                ]}
                onChange={setInDoubt}
              />
            )}
          </>
        )
      }
      consequences={[...consequences, stays(m.settles)]}
      verb={m.verb}
      run={run}
      onClose={onClose}
    />
  );
};

/** A choice with its label above it. */
const Choice = <T extends string>(props: Parameters<typeof Segmented<T>>[0]) => (
  <div className="field">
    <div className="field-head" aria-hidden="true">
      {props.label}
    </div>
    <Segmented {...props} />
  </div>
);
