import { management } from '../../api/management.js';
import { Button, ButtonLink } from '../../components/button.js';
import { Icon } from '../../components/icon.js';
import { toast, toastError } from '../../components/toasts.js';
import { format } from '../../i18n/format.js';
import { type Projection, refresh } from './data.js';
import type { Decision } from './decision-dialog.js';
import { projectionsMessages as m } from './messages.js';

/** The event at which a projection stopped, and the options for continuing. */
export const StoppedPanel = ({
  projection,
  error,
  onDecide,
}: {
  readonly projection: Projection;
  readonly error: NonNullable<Projection['error']>;
  readonly onDecide: (decision: Decision) => void;
}) => {
  const retry = async (): Promise<void> => {
    try {
      await management().post('/projections/{name}/retry', { path: { name: projection.name } });
      toast(m.started);
    } catch (failure) {
      toastError(failure);
    }
    await refresh();
  };
  return (
    <div className="projection-stopped">
      <Icon name="failed" tone="fail" />
      <div>
        <b>
          {m.stoppedTitle(format.number(Number(error.position)), error.type)} <bdi>{error.message}</bdi>
        </b>
        <p className="secondary">
          {m.stoppedText} {projection.skipped > 0 && m.skipped(projection.skipped)}
        </p>
      </div>
      <div className="projection-actions">
        <ButtonLink size="small" to="/time" search={{ event: error.event_id }}>
          {m.viewEvent}
        </ButtonLink>
        <Button size="small" look="primary" onClick={() => void retry()}>
          {m.retry}
        </Button>
        <Button size="small" look="danger" onClick={() => onDecide({ kind: 'skip', projection })}>
          {m.skip}
        </Button>
      </div>
    </div>
  );
};
