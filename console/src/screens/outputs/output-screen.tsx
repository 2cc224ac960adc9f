import '../../components/table.css';
import './outputs.css';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { management } from '../../api/management.js';
import { Button } from '../../components/button.js';
import { PageHead } from '../../components/card.js';
import { SelectField } from '../../components/controls.js';
import { Confirmation, happens, risk, stays } from '../../components/dialog.js';
import { Icon } from '../../components/icon.js';
import { Loaded } from '../../components/states.js';
import { toast, toastError } from '../../components/toasts.js';
import { serverNow } from '../../time/server-clock.js';
import { Deliveries } from './deliveries.js';
import { outputsMessages as m } from './messages.js';
import { OutputSecret, OutputSettings } from './output-settings.js';
import { hostOf, type Output, OutputState, refreshOutputs, useDeliveries, useOutput } from './data.js';

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
  return <Loaded query={output}>{(found) => <OutputPage key={found.id} output={found} />}</Loaded>;
};

type Open = 'disable' | 'remove' | 'replay' | 'enable' | null;

const OutputPage = ({ output }: { readonly output: Output }) => {
  const [open, setOpen] = useState<Open>(null);
  const failed = useDeliveries(output.id, 'failed').data?.pages[0]?.items.length ?? 0;
  const host = hostOf(output);
  const isOff = !output.is_active;
  const title = isOff ? m.titleOff(host) : failed > 0 ? m.titleFailing(host, failed) : m.title(host);
  const close = (): void => setOpen(null);
  const test = async (): Promise<void> => {
    try {
      await management().post('/webhook-outputs/{id}/test', { path: { id: output.id } });
      await refreshOutputs();
      toast(m.tested);
    } catch (error) {
      toastError(error);
    }
  };
  return (
    <>
      <PageHead
        trail={
          <>
            <Link className="link" to="/outputs">
              {m.webhooks}
            </Link>
            <span aria-hidden="true">/</span>
            <bdi className="cut mono">{output.url}</bdi>
          </>
        }
        title={<bdi>{title}</bdi>}
        actions={
          <>
            <Button onClick={() => void test()}>{m.test}</Button>
            {!isOff && failed > 0 && (
              <Button look="primary" onClick={() => setOpen('replay')}>
                {m.replay}
              </Button>
            )}
            {!isOff && <Button onClick={() => setOpen('disable')}>{m.disable}</Button>}
          </>
        }
      >
        <OutputState output={output} />
      </PageHead>
      {output.disabled_by !== null && (
        <DisabledBanner
          output={output}
          by={output.disabled_by}
          hasFailed={failed > 0}
          onReplay={() => setOpen('enable')}
        />
      )}
      <div className="output-column">
        <Deliveries outputId={output.id} />
        <div className="output-columns">
          <OutputSettings output={output} />
          <div className="output-column">
            <OutputSecret output={output} />
            <div>
              <Button look="danger" onClick={() => setOpen('remove')}>
                {m.remove}
              </Button>
            </div>
          </div>
        </div>
      </div>
      {(open === 'replay' || open === 'enable') && (
        <ReplayDialog output={output} enables={open === 'enable'} onClose={close} />
      )}
      {(open === 'disable' || open === 'remove') && <OutputConfirmation kind={open} output={output} onClose={close} />}
    </>
  );
};

interface DisabledBannerProps {
  readonly output: Output;
  readonly by: NonNullable<Output['disabled_by']>;
  readonly hasFailed: boolean;
  readonly onReplay: () => void;
}

const DisabledBanner = ({ output: { id }, by, hasFailed, onReplay }: DisabledBannerProps) => {
  const enable = async (): Promise<void> => {
    try {
      await management().post('/webhook-outputs/{id}/enable', { path: { id } });
      await refreshOutputs();
      toast(m.enabled);
    } catch (error) {
      toastError(error);
    }
  };
  return (
    <div className="output-banner">
      <Icon name="switchedOff" tone="warn" size={20} />
      <p>{m.why[by]}</p>
      <div className="row">
        {hasFailed && <Button onClick={() => void enable()}>{m.enable}</Button>}
        <Button look="primary" onClick={() => (hasFailed ? onReplay() : void enable())}>
          {hasFailed ? m.enableAndReplay : m.enable}
        </Button>
      </div>
    </div>
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
