import './next-cards.css';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { type Api, management } from '../../api/management.js';
import { useNames } from '../../api/things.js';
import { Button, ButtonLink } from '../../components/button.js';
import { Card } from '../../components/card.js';
import { Icon, NetworkMark } from '../../components/icon.js';
import { SentenceText } from '../../components/sentence.js';
import { Empty, Loaded } from '../../components/states.js';
import { Countdown } from '../../components/time.js';
import { useActorInText } from '../../history/actors.js';
import { sentence } from '../../i18n/format.js';
import { defineMessages } from '../../i18n/messages.js';
import { ResumeDialog } from '../../pauses/pause-dialog.js';
import { useLastPause } from '../../pauses/paused-by.js';
import { networksOf } from '../../planning/planned-posts.js';
import { formatWhen as when } from '../../planning/use-when.js';
import { useScope } from '../../session/session.js';
import { useNow } from '../../time/server-clock.js';
import { overviewMessages } from './messages.js';

const m = defineMessages({
  en: {
    coming: 'Coming up',
    openPlan: 'Open plan',
    nothingComing: 'Nothing is planned',
    nothingComingText: 'Write a post and choose a time. It is then published automatically.',
    schedule: 'Schedule a post',
    onceApproved: 'as soon as it is approved',
    pausedNow: 'Paused now',
    pausedBy: 'paused by {who}',
    morePaused: (count: number) => `${count} more`,
    resume: 'Resume…',
  },
  ru: {
    coming: 'Что дальше',
    openPlan: 'Открыть план',
    nothingComing: 'Ничего не запланировано',
    nothingComingText: 'Напишите пост и выберите время: он выйдет сам.',
    schedule: 'Запланировать пост',
    onceApproved: 'сразу после одобрения',
    pausedNow: 'Сейчас на паузе',
    pausedBy: 'пауза: {who}',
    morePaused: (count: number) => `Ещё ${count}`,
    resume: 'Снять с паузы…',
  },
});

/** Maximum number of posts, and of pauses, that are shown. */
const SHOWN = 5;

/** The next planned posts, with their times. */
const ComingCard = () => {
  const scope = useScope();
  const query = { ...scope.query, state: 'planned' as const, order: 'publish_at' as const, limit: SHOWN };
  const posts = useQuery({
    queryKey: ['posts', scope.key, 'coming'],
    queryFn: () => management().get('/posts', { query }),
  });
  return (
    <Card title={m.coming} aside={<Link to="/plan">{m.openPlan}</Link>}>
      <Loaded query={posts} rows={3}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty icon="calendar" title={m.nothingComing} action={<ButtonLink to="/compose">{m.schedule}</ButtonLink>}>
              {m.nothingComingText}
            </Empty>
          ) : (
            <ul className="next-list">
              {items.map((post) => (
                <li key={post.id}>
                  <Link to="/posts/$id" params={{ id: post.id }}>
                    <span className="secondary next-when">
                      {post.publish_at === null ? m.onceApproved : when(post.publish_at)}
                    </span>
                    <bdi className="cut">{post.excerpt ?? overviewMessages.noText}</bdi>
                    <span className="next-networks">
                      {networksOf(post).map((platform) => (
                        <NetworkMark key={platform} platform={platform} size={16} />
                      ))}
                    </span>
                  </Link>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Card>
  );
};

const HOUR = 3_600_000;
const PAUSES: ReadonlySet<string> = new Set(['channel_pause', 'project_pause']);

/** Lists the paused channels and sets, who paused them, and the time left. Renders nothing if there are none. */
const PausedCard = () => {
  const scope = useScope();
  const now = useNow(1000);
  const from = new Date(Math.floor(now / HOUR) * HOUR).toISOString();
  const to = new Date(Math.floor(now / HOUR) * HOUR + HOUR).toISOString();
  const { data } = useQuery({
    queryKey: ['ticks', scope.key, 'paused', from],
    queryFn: () => management().get('/history/ticks', { query: { ...scope.query, from, to, buckets: 1 } }),
  });
  const paused = (data?.spans ?? []).filter(
    ({ kind, to: end }) => PAUSES.has(kind) && end !== null && Date.parse(end) > now,
  );
  if (paused.length === 0) return null;
  return (
    <Card title={m.pausedNow}>
      <ul className="next-list">
        {paused.slice(0, SHOWN).map((span) => (
          <PausedRow key={span.event_id} span={span} />
        ))}
      </ul>
      {paused.length > SHOWN && (
        <p className="card-body">
          <Link className="link" to="/channels" search={{ state: 'paused' }}>
            {m.morePaused(paused.length - SHOWN)}
          </Link>
        </p>
      )}
    </Card>
  );
};

const PausedRow = ({ span }: { readonly span: Api<'StateSpan'> }) => {
  const { id, kind, to } = span;
  const names = useNames();
  const actorInText = useActorInText();
  // The span knows who paused, but not the name of a key.
  const pause = useLastPause({ kind: kind === 'channel_pause' ? 'channel' : 'project', id });
  const [isResuming, setIsResuming] = useState(false);
  const channel = names.channel(id);
  const thing = channel ?? names.project(id);
  if (!thing) return null;
  return (
    <li className="paused-row">
      <Link to={channel ? '/channels/$id' : '/projects/$id'} params={{ id }}>
        {channel ? <NetworkMark platform={channel.platform} size={16} /> : <Icon name="project" />}
        <bdi className="cut">{thing.name}</bdi>
        <span className="secondary">
          <SentenceText of={sentence(m.pausedBy, { who: { name: actorInText(pause ?? span) } })} />
          {to !== null && (
            <>
              {' · '}
              <Countdown until={to} />
            </>
          )}
        </span>
      </Link>
      <Button
        needs={channel ? 'POST /channels/{id}/resume' : 'POST /projects/{id}/resume'}
        size="small"
        aria-label={`${m.resume} ${thing.name}`}
        onClick={() => setIsResuming(true)}
      >
        {m.resume}
      </Button>
      {isResuming && (
        <ResumeDialog
          thing={{ ...thing, kind: kind === 'channel_pause' ? 'channel' : 'project' }}
          onClose={() => setIsResuming(false)}
        />
      )}
    </li>
  );
};

/** The pauses and the next planned posts. */
const NextCards = () => (
  <>
    <PausedCard />
    <ComingCard />
  </>
);

export default NextCards;
