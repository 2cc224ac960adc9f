import './key-list.css';
import { NAVIGATION, navigationMessages as names, OPERATOR_NAVIGATION } from '../app/navigation.js';
import { Dialog } from '../components/dialog.js';
import { defineMessages } from '../i18n/messages.js';
import { useScreens } from '../session/rights.js';
import { useSession } from '../session/session.js';

const m = defineMessages({
  en: {
    title: 'Keyboard shortcuts',
    palette: 'Search and commands',
    rows: 'Next and previous row',
    open: 'Open',
    close: 'Close',
    why: 'Why is this waiting?',
    move: 'Move the post (Plan)',
    publish: 'Publish (in Compose)',
    now: 'Back to now (Time machine)',
    events: 'Previous and next event (on the slider)',
    people: 'Previous and next change by a person (on the slider)',
    windows: 'Previous and next window (on the slider)',
    compare: 'Compare from here (on the slider)',
    list: 'This list',
  },
  ru: {
    title: 'Клавиши',
    palette: 'Найти или сделать',
    rows: 'Следующая и предыдущая строка',
    open: 'Открыть',
    close: 'Закрыть',
    why: 'Чего ждёт?',
    move: 'Перенести пост («План»)',
    publish: 'Опубликовать («Написать»)',
    now: 'К настоящему (машина времени)',
    events: 'Предыдущее и следующее событие (на шкале)',
    people: 'Предыдущее и следующее изменение, сделанное человеком (на шкале)',
    windows: 'Предыдущий и следующий отрезок (на шкале)',
    compare: 'Сравнить с этим моментом (на шкале)',
    list: 'Этот список',
  },
});

/** The keyboard shortcuts. */
export default function KeyList({ onClose }: { readonly onClose: () => void }) {
  const isOperator = useSession()?.role === 'operator';
  const ofUse = useScreens();
  const screens = [...NAVIGATION.flat(), ...(isOperator ? OPERATOR_NAVIGATION : [])];
  const rows: readonly (readonly [readonly string[], string])[] = [
    [['Ctrl K', '/'], m.palette],
    ...ofUse(screens).map(({ key, name }) => [[`g ${key}`], names[name]] as const),
    [['j', 'k'], m.rows],
    [['Enter'], m.open],
    [['Esc'], m.close],
    [['w'], m.why],
    [['m'], m.move],
    [['Ctrl ↵'], m.publish],
    [['.'], m.now],
    [['←', '→'], m.events],
    [['⇧ ←', '⇧ →'], m.people],
    [['PgUp', 'PgDn'], m.windows],
    [['c'], m.compare],
    [['?'], m.list],
  ];
  return (
    <Dialog title={m.title} isOpen onClose={onClose}>
      <dl className="key-list">
        {rows.map(([keys, text]) => (
          <div key={text}>
            <dt>
              {keys.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
