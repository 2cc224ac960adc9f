import './footer.css';
import { format } from '../i18n/format.js';
import { useLocale } from '../i18n/locale.js';
import { defineMessages } from '../i18n/messages.js';
import { useLiveMode } from '../live/live-updates.js';
import { useNow } from '../time/server-clock.js';

const m = defineMessages({
  en: { stream: 'Live', polling: 'Updates every 5 s', off: 'Not connected' },
  ru: { stream: 'На связи', polling: 'Обновление раз в 5 с', off: 'Нет связи' },
});

/** Shows whether the console gets live updates, and the gateway's time in the browser's time zone. */
export const Footer = () => {
  const locale = useLocale();
  const mode = useLiveMode();
  const now = useNow(1000);
  return (
    <div className="footer">
      <span className={`live ${mode}`}>{m[mode]}</span>
      <span>
        <b>{format.seconds(now)}</b> {zoneName(locale)}
      </span>
    </div>
  );
};

/** Returns the human-readable name of the browser's time zone: `Moscow, UTC+3`. */
const zoneName = (locale: string): string => {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  const city = timeZone.split('/').at(-1)?.replaceAll('_', ' ') ?? '';
  const parts = new Intl.DateTimeFormat(locale, { timeZoneName: 'shortOffset' }).formatToParts();
  const zone = parts.find(({ type }) => type === 'timeZoneName')?.value.replace('GMT', 'UTC') ?? '';
  return city === 'UTC' ? 'UTC' : `${city}, ${zone}`;
};
