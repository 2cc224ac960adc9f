import { Link } from '@tanstack/react-router';
import { defineMessages } from '../i18n/messages.js';
import { useMay } from '../session/rights.js';

const m = defineMessages({ en: { history: 'History of changes' }, ru: { history: 'История изменений' } });

/** A link to all events of a channel, set, endpoint or webhook in the time machine. */
export const HistoryLink = ({ id }: { readonly id: string }) =>
  useMay('GET /history/events') && (
    <Link className="link" to="/time" search={{ thing: id, span: 'all' }}>
      {m.history}
    </Link>
  );
