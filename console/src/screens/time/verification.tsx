import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type Api, management } from '../../api/management.js';
import { queryClient } from '../../api/query-client.js';
import { Button } from '../../components/button.js';
import { Confirmation, happens, risk, stays } from '../../components/dialog.js';
import { Icon } from '../../components/icon.js';
import { format } from '../../i18n/format.js';
import { timeMessages as m } from './messages.js';

interface Verification {
  readonly events: number;
  readonly broken: readonly { readonly stream: string; readonly revision: number; readonly reason: string }[];
}

/** Maximum number of broken events to list; the message gives the total. */
const MAX_NAMED = 5;

/** For operators: the result of the last verification of the history, and a button that starts another. */
export const HistoryVerification = () => {
  const [isAsking, setIsAsking] = useState(false);
  const job = useQuery({
    queryKey: ['jobs', 'verify-history'],
    queryFn: async (): Promise<Api<'Job'> | null> => {
      const { items } = await management().get('/jobs', { query: { limit: 100 } });
      return items.find(({ kind }) => kind === 'verify-history') ?? null;
    },
    refetchInterval: (query) => (query.state.data?.state === 'running' ? 1000 : false),
  }).data;
  const result = job?.state === 'done' ? (job.result as Verification) : null;
  return (
    <div className="history-verification">
      {job?.state === 'running' && <span role="status">{m.verifying(format.percent(job.progress))}</span>}
      {result && result.broken.length === 0 && (
        <span className="tone-ok">
          <Icon name="shield" size={14} /> {m.verified(format.number(result.events))}
        </span>
      )}
      <Button size="small" onClick={() => setIsAsking(true)}>
        {m.verify}
      </Button>
      {result && result.broken.length > 0 && <Broken broken={result.broken} />}
      {isAsking && (
        <Confirmation
          title={m.verifyTitle}
          consequences={[happens(m.verifyHappens), risk(m.verifyRisk), stays(m.verifyStays)]}
          verb={m.verifyVerb}
          run={async () => {
            await management().post('/history/verify', { body: {} });
            await queryClient.invalidateQueries({ queryKey: ['jobs'] });
          }}
          onClose={() => setIsAsking(false)}
        />
      )}
    </div>
  );
};

const Broken = ({ broken }: { readonly broken: Verification['broken'] }) => (
  <div className="history-broken" role="alert">
    <Icon name="failed" tone="fail" />
    <span>
      <b>{m.broken(broken.length)}</b>{' '}
      {broken.slice(0, MAX_NAMED).map(({ stream, revision, reason }) => (
        <span key={`${stream} ${revision}`} className="mono">
          {stream} @{revision} ({m.reasons[reason as keyof typeof m.reasons] ?? reason}){' '}
        </span>
      ))}
    </span>
  </div>
);
