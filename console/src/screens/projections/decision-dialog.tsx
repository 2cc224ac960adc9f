import { useState } from 'react';
import { management } from '../../api/management.js';
import { TextField } from '../../components/controls.js';
import { Confirmation, type Consequence, happens, risk, stays } from '../../components/dialog.js';
import { toast } from '../../components/toasts.js';
import { format } from '../../i18n/format.js';
import { type Projection, refresh } from './data.js';
import { projectionsMessages as m } from './messages.js';

/** An operator's decision that must be confirmed. */
export type Decision =
  | { readonly kind: 'rebuild' | 'rollback' | 'discard' | 'skip'; readonly projection: Projection }
  | { readonly kind: 'promote'; readonly projection: Projection; readonly differing: number }
  | { readonly kind: 'verify'; readonly projections: readonly string[] };

interface DecisionDialogProps {
  readonly decision: Decision;
  readonly onClose: () => void;
}

/** Asks for confirmation before carrying out an operator's decision. */
export const DecisionDialog = ({ decision, onClose }: DecisionDialogProps) => {
  const [reason, setReason] = useState('');
  const { title, consequences, verb, isDanger = false, run } = describe(decision, reason);
  const confirm = async (): Promise<void> => {
    try {
      await run();
      toast(m.done(verb));
    } finally {
      await refresh();
    }
  };
  return (
    <Confirmation
      title={title}
      consequences={consequences}
      verb={verb}
      isDanger={isDanger}
      run={confirm}
      onClose={onClose}
      isReady={decision.kind !== 'skip' || reason.trim() !== ''}
      fields={
        decision.kind === 'skip' && (
          <TextField label={m.skipReason} hint={m.skipReasonHint} value={reason} onChange={setReason} />
        )
      }
    />
  );
};

interface Described {
  readonly title: string;
  readonly consequences: readonly Consequence[];
  readonly verb: string;
  readonly isDanger?: boolean;
  readonly run: () => Promise<unknown>;
}

const describe = (decision: Decision, reason: string): Described => {
  const api = management();
  if (decision.kind === 'verify') {
    const { projections } = decision;
    const [first = ''] = projections;
    return {
      title: projections.length === 1 ? m.verifyTitle(first) : m.verifyAllTitle,
      consequences: [happens(m.verifyHappens), risk(m.verifyRisk), stays(m.verifyStays)],
      verb: m.verifyVerb,
      run: async () => {
        for (const name of projections) await api.post('/projections/{name}/verify', { path: { name } });
      },
    };
  }
  const { projection } = decision;
  const { name, version, candidate, previous, error } = projection;
  const path = { name };
  const next = candidate?.version ?? version + 1;
  switch (decision.kind) {
    case 'rebuild':
      return {
        title: m.rebuildTitle(name),
        consequences: [happens(m.rebuildHappens(next)), happens(m.rebuildThen), stays(m.rebuildStays(version))],
        verb: m.rebuildVerb,
        run: () => api.post('/projections/{name}/rebuild', { path, body: { promote: 'manual' } }),
      };
    case 'promote':
      return {
        title: m.promoteTitle(name, next),
        consequences: [
          happens(m.promoteHappens(next)),
          decision.differing > 0 && risk(m.promoteRisk(format.number(decision.differing))),
          stays(m.promoteStays(version)),
        ],
        verb: m.promoteVerb,
        run: () => api.post('/projections/{name}/promote', { path }),
      };
    case 'rollback':
      return {
        title: m.rollbackTitle(name, previous ?? 0),
        consequences: [happens(m.rollbackHappens(previous ?? 0)), stays(m.rollbackStays(version))],
        verb: m.rollbackVerb,
        run: () => api.post('/projections/{name}/rollback', { path }),
      };
    case 'discard':
      return {
        title: m.discardTitle(name, next),
        consequences: [happens(m.discardHappens(next)), stays(m.discardStays(version))],
        verb: m.discardVerb,
        isDanger: true,
        run: () => api.post('/projections/{name}/discard', { path }),
      };
    case 'skip': {
      const position = format.number(Number(error?.position ?? 0));
      return {
        title: m.skipTitle(position, name),
        consequences: [happens(m.skipHappens(name)), risk(m.skipRisk), stays(m.skipStays)],
        verb: m.skipVerb,
        isDanger: true,
        run: () => api.post('/projections/{name}/skip', { path, body: { reason } }),
      };
    }
  }
};
