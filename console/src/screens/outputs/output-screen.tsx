import './outputs.css';
import { useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { management } from '../../api/management.js';
import { Button } from '../../components/button.js';
import { Columns, Stack } from '../../components/card.js';
import { SelectField } from '../../components/controls.js';
import { Confirmation, happens, risk, stays } from '../../components/dialog.js';
import { useSave } from '../../components/form.js';
import { ResourcePage } from '../../components/resource.js';
import { Loaded } from '../../components/states.js';
import { toast } from '../../components/toasts.js';
import { HistoryLink } from '../../history/history-link.js';
import { serverNow } from '../../time/server-clock.js';
import { hostOf, type Output, OutputState, refreshOutputs, useDeliveries, useOutput } from './data.js';
import { Deliveries } from './deliveries.js';
import { outputsMessages as m } from './messages.js';
import { OutputSecret, OutputSettings } from './output-settings.js';

const HOUR = 3_600_000;

interface ReplayDialogProps {
  readonly output: Output;
  readonly enables: boolean;
  readonly onClose: () => void;
}

/**
 * Resends the failed and waiting deliveries of a chosen period.
 * @param enables whether to enable the webhook first
 */
export const ReplayDialog = ({ output: { id }, enables, onClose }: ReplayDialogProps) => {
  const [hours, setHours] = useState('120');
  const run = async (): Promise<void> => {
    const path = { id };
    if (enables) await management().post('/webhook-outputs/{id}/enable', { path });
    const since = new Date(serverNow() - Number(hours) * HOUR).toISOString();
    const { retried } = await management().post('/webhook-outputs/{id}/retry-failed', { path, body: { since } });
    await refreshOutputs();
    toast(m.replayed(retried));
  };
  return (
    <Confirmation
      title={m.replayTitle}
      consequences={[enables && happens(m.enabled), happens(m.replayHappens), risk(m.replayRisk), stays(m.replayStays)]}
      verb={enables ? m.enableAndReplay : m.replayVerb}
      run={run}
      onClose={onClose}
      fields={
        <SelectField label={m.since} value={hours} onChange={setHours} options={Object.entries(m.sinceOptions)} />
      }
    />
  );
};

/** The screen for a webhook: its deliveries, settings and secret. */
export const OutputScreen = () => {
  const { id } = useParams({ from: '/outputs/$id' });
  const output = useOutput(id);
  return (
    <Loaded isPage query={output}>
      {(found) => <OutputPage key={found.id} output={found} />}
    </Loaded>
  );
};

type Open = 'disable' | 'remove' | 'replay' | 'enable' | null;

const OutputPage = ({ output }: { readonly output: Output }) => {
  const [open, setOpen] = useState<Open>(null);
  const failed = useDeliveries(output.id, 'failed').data?.pages[0]?.items.length ?? 0;
  const host = hostOf(output);
  const isOff = !output.is_active;
  const title = isOff ? m.titleOff(host) : failed > 0 ? m.titleFailing(host, failed) : m.title(host);
  const close = (): void => setOpen(null);
  const { save: test } = useSave(async () => {
    await management().post('/webhook-outputs/{id}/test', { path: { id: output.id } });
    await refreshOutputs();
    toast(m.tested);
  });
  const { save: enable } = useSave(async () => {
    await management().post('/webhook-outputs/{id}/enable', { path: { id: output.id } });
    await refreshOutputs();
    toast(m.enabled);
  });
  return (
    <ResourcePage
      to="/outputs"
      list={m.webhooks}
      here={<span className="mono">{output.url}</span>}
      title={title}
      actions={
        <>
          <Button needs="POST /webhook-outputs/{id}/test" onClick={test}>
            {m.test}
          </Button>
          {!isOff && failed > 0 && (
            <Button needs="POST /webhook-outputs/{id}/retry-failed" look="primary" onClick={() => setOpen('replay')}>
              {m.replay}
            </Button>
          )}
          {!isOff && (
            <Button needs="POST /webhook-outputs/{id}/disable" onClick={() => setOpen('disable')}>
              {m.disable}
            </Button>
          )}
        </>
      }
      summary={
        <span className="row">
          <OutputState output={output} /> <HistoryLink id={output.id} />
        </span>
      }
      offBecause={output.disabled_by && m.why[output.disabled_by]}
      remedies={
        <>
          {failed > 0 && (
            <Button needs="POST /webhook-outputs/{id}/enable" onClick={enable}>
              {m.enable}
            </Button>
          )}
          <Button
            needs="POST /webhook-outputs/{id}/enable"
            look="primary"
            onClick={failed > 0 ? () => setOpen('enable') : enable}
          >
            {failed > 0 ? m.enableAndReplay : m.enable}
          </Button>
        </>
      }
    >
      <Stack>
        <Deliveries outputId={output.id} />
        <Columns first="1.3fr">
          <OutputSettings output={output} />
          <Stack>
            <OutputSecret output={output} />
            <div>
              <Button needs="DELETE /webhook-outputs/{id}" look="danger" onClick={() => setOpen('remove')}>
                {m.remove}
              </Button>
            </div>
          </Stack>
        </Columns>
      </Stack>
      {(open === 'replay' || open === 'enable') && (
        <ReplayDialog output={output} enables={open === 'enable'} onClose={close} />
      )}
      {(open === 'disable' || open === 'remove') && <OutputConfirmation kind={open} output={output} onClose={close} />}
    </ResourcePage>
  );
};

interface OutputConfirmationProps {
  readonly kind: 'disable' | 'remove';
  readonly output: Output;
  readonly onClose: () => void;
}

const OutputConfirmation = ({ kind, output, onClose }: OutputConfirmationProps) => {
  const navigate = useNavigate();
  const host = hostOf(output);
  const path = { id: output.id };
  if (kind === 'disable')
    return (
      <Confirmation
        title={<bdi>{m.disableTitle(host)}</bdi>}
        consequences={[happens(m.disableHappens), stays(m.disableStays)]}
        verb={m.disableVerb}
        run={async () => {
          await management().post('/webhook-outputs/{id}/disable', { path });
          await refreshOutputs();
          toast(m.disabled);
        }}
        onClose={onClose}
      />
    );
  return (
    <Confirmation
      title={<bdi>{m.removeTitle(host)}</bdi>}
      consequences={[happens(m.removeHappens), stays(m.removeStays)]}
      verb={m.removeVerb}
      isDanger
      run={async () => {
        await management().delete('/webhook-outputs/{id}', { path });
        toast(m.removed);
        await navigate({ to: '/outputs' });
        await refreshOutputs();
      }}
      onClose={onClose}
    />
  );
};
