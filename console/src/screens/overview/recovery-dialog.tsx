import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { management } from '../../api/management.js';
import { Segmented } from '../../components/controls.js';
import { Confirmation, type Consequence, happens, risk, stays } from '../../components/dialog.js';
import { toast } from '../../components/toasts.js';
import { format } from '../../i18n/format.js';
import { useScope } from '../../session/scope.js';
import { recoveryMessages as m } from './recovery-messages.js';

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
