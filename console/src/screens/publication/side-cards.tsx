import './side-cards.css';
import { Link } from '@tanstack/react-router';
import type { Api } from '../../api/management.js';
import type { Names } from '../../api/things.js';
import { Button, CopyButton } from '../../components/button.js';
import { Card } from '../../components/card.js';
import { Icon, NetworkMark, networkTitle } from '../../components/icon.js';
import { ErrorState } from '../../components/states.js';
import { Moment } from '../../components/time.js';
import { format } from '../../i18n/format.js';
import { type Publication, shownState, StateGlyph, stateNames as states } from '../../publications/states.js';
import { readWall } from '../../walls/read-wall.js';
import { WallPosts } from '../../walls/wall-posts.js';
import { useTrace } from './history-card.js';
import { publicationMessages as m } from './messages.js';
import type { Calls } from './publication-screen.js';
import { eventsOf } from './story.js';

/** Maximum number of publications to list for the post. */
const MAX_ELSEWHERE = 10;

interface ElsewhereCardProps {
  readonly publication: Publication;
  readonly post: Api<'PostWithPayload'>;
  readonly names: Names;
}

/** The publications of the same post, including this publication: the first ten, with a link to the rest. */
export const ElsewhereCard = ({ publication, post, names }: ElsewhereCardProps) => {
  const all = post.publications;
  const shown = all.length > MAX_ELSEWHERE ? all.slice(0, MAX_ELSEWHERE) : all;
  return (
    <Card
      title={m.elsewhere}
      {...(all.length > shown.length && {
        aside: (
          <Link className="link" to="/posts/$id" params={{ id: post.id }}>
            {m.viewAll(format.number(all.length))}
          </Link>
        ),
      })}
    >
      {all.length <= 1 ? (
        <p className="card-body secondary">{m.nowhereElse}</p>
      ) : (
        <ul className="siblings">
          {shown.map((each) => (
            <li key={each.id}>
              <Link
                to="/publications/$id"
                params={{ id: each.id }}
                className="sibling"
                {...(each.id === publication.id && { 'aria-current': 'true' as const })}
              >
                <NetworkMark platform={each.platform} />
                <bdi className="cut">{names.channel(each.target_id)?.name ?? networkTitle(each.platform)}</bdi>
                <SiblingState publication={each} />
              </Link>
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
};

const SiblingState = ({ publication }: { readonly publication: Publication }) => {
  const state = shownState(publication);
  return (
    <span className="sibling-state tertiary">
      {publication.published_at === null ? states[state] : <Moment at={publication.published_at} form="seconds" />}
      <StateGlyph state={state} isDecoration={publication.published_at === null} />
    </span>
  );
};

interface ReadersCardProps {
  readonly publication: Publication;
  readonly post: Api<'PostWithPayload'>;
  readonly names: Names;
  readonly calls: Calls;
}

/** The post as the channel's readers would see it, shown on demand because each sandbox call counts toward a quota. */
export const ReadersCard = ({ publication, post, names, calls: { preview, error, isBusy, ask } }: ReadersCardProps) => {
  const ofNetwork = preview?.[publication.platform];
  const channel = names.channel(publication.target_id);
  const wall = ofNetwork && readWall(publication.platform, ofNetwork, publication.target_id);
  return (
    <Card title={m.readersSee}>
      {wall && wall.messages.length > 0 ? (
        <WallPosts
          wall={wall}
          channel={{ id: publication.target_id, name: channel?.name ?? networkTitle(publication.platform) }}
          at={publication.published_at ?? post.accepted_at}
          hint=""
        />
      ) : (
        <div className="card-body">
          {preview !== undefined ? (
            <p className="secondary">{m.noCalls}</p>
          ) : error ? (
            <ErrorState error={error} onRetry={ask} />
          ) : (
            <div className="row">
              <Button size="small" busy={isBusy} onClick={ask}>
                {m.showReaders}
              </Button>
              <span className="tertiary">{m.showCallsHint}</span>
            </div>
          )}
        </div>
      )}
    </Card>
  );
};

/** Ids, the receipt number, and a link to the event in the signed log. */
export const ProofCard = ({ publication }: { readonly publication: Publication }) => {
  const trace = useTrace(publication.id).data;
  const last = eventsOf(trace?.events ?? [], publication).at(-1);
  const [firstMessage, ...otherMessages] = publication.message_ids;
  return (
    <Card
      title={m.proof}
      {...(last && {
        aside: (
          <Link to="/time" search={{ at: last.at, event: last.id }} className="pill tone-time">
            <Icon name="shield" size={13} />
            {m.inLog}
          </Link>
        ),
      })}
    >
      <dl className="facts card-body">
        <Id label={m.publicationId} id={publication.id} />
        <Id label={m.postId} id={publication.post_id} />
        {firstMessage === undefined ? (
          <div>
            <dt>{m.messageId}</dt>
            <dd>{m.noMessageId}</dd>
          </div>
        ) : (
          <Id label={m.messageId} id={firstMessage} more={otherMessages.length} />
        )}
        <div>
          <dt>{m.receipt}</dt>
          <dd>{format.number(publication.sequence ?? 0)}</dd>
        </div>
        {last && (
          <div>
            <dt>{m.lastEvent}</dt>
            <dd>{m.position(last.position)}</dd>
          </div>
        )}
      </dl>
    </Card>
  );
};

const Id = ({ label, id, more = 0 }: { readonly label: string; readonly id: string; readonly more?: number }) => (
  <div>
    <dt>{label}</dt>
    <dd>
      <bdi className="mono cut" title={id}>
        {id}
      </bdi>
      {more > 0 && <span className="tertiary nowrap">+ {m.more(more)}</span>}
      <CopyButton text={id} look="quiet" />
    </dd>
  </div>
);
