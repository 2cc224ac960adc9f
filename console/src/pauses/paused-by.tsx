import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { management } from '../api/management.js';
import { SentenceText } from '../components/sentence.js';
import { useActorInText } from '../history/actors.js';
import { sentence } from '../i18n/format.js';
import { useMay } from '../session/rights.js';
import { pauseMessages as m } from './messages.js';

interface PausedByProps {
  readonly kind: 'channel' | 'project';
  readonly id: string;
}

/** Returns the latest pause of a channel or project, with its author's name; undefined while it is loading. */
export const useLastPause = ({ kind, id }: PausedByProps) => {
  const type = kind === 'channel' ? ('ChannelPaused' as const) : ('ProjectPaused' as const);
  return useQuery({
    queryKey: ['history', 'paused', type, id],
    queryFn: () => management().get('/history/events', { query: { type, id, limit: 1 } }),
    enabled: useMay('GET /history/events'),
  }).data?.items[0];
};

/** Who last paused a channel or project, and when, with a link to that moment. Renders nothing while loading. */
export const PausedBy = ({ kind, id }: PausedByProps) => {
  const actorInText = useActorInText();
  const event = useLastPause({ kind, id });
  if (!event) return null;
  return (
    <Link className="link" to="/time" search={{ at: event.at, event: event.id, thing: id }}>
      <SentenceText of={sentence(m.pausedBy, { who: { name: actorInText(event) }, at: { at: event.at } })} />
    </Link>
  );
};
