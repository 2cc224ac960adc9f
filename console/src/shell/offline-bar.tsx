import './offline-bar.css';
import { useConnection } from '../api/connection.js';
import { queryClient } from '../api/query-client.js';
import { Button } from '../components/button.js';
import { Icon } from '../components/icon.js';
import { format } from '../i18n/format.js';
import { defineMessages } from '../i18n/messages.js';

const m = defineMessages({
  en: {
    lost: (time: string) => `No connection since ${time}.`,
    stale: 'You’re seeing data from that time. The console keeps trying.',
    now: 'Try now',
  },
  ru: {
    lost: (time: string) => `Связи нет с ${time}.`,
    stale: 'Показано то, что было тогда. Консоль продолжает попытки.',
    now: 'Попробовать сейчас',
  },
});

/** Shows that the gateway is not responding, and since when. */
export const OfflineBar = () => {
  const { lostAt } = useConnection();
  if (lostAt === null) return null;
  return (
    <div className="offline" role="status">
      <Icon name="switchedOff" tone="warn" />
      <span>
        <b>{m.lost(format.seconds(lostAt))}</b> {m.stale}
      </span>
      <Button size="small" onClick={() => void queryClient.invalidateQueries()}>
        {m.now}
      </Button>
    </div>
  );
};
