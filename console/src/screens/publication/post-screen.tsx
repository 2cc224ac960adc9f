import './post-screen.css';
import './publication-screen.css';
import './side-cards.css';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { type Api, management } from '../../api/management.js';
import { endpointName, type Names, useNames } from '../../api/things.js';
import { Button, ButtonLink, CopyButton } from '../../components/button.js';
import { Card, Columns, PageHead } from '../../components/card.js';
import { Json } from '../../components/code.js';
import { NetworkMark, networkTitle } from '../../components/icon.js';
import { Trail } from '../../components/resource.js';
import { SentenceText } from '../../components/sentence.js';
import { ErrorState, Skeleton } from '../../components/states.js';
import { format, sentence } from '../../i18n/format.js';
import { isPlanned } from '../../planning/planned-posts.js';
import { ContentCard } from '../../publications/content-card.js';
import { canBeEdited } from '../../publications/edit-calls.js';
import { EditState, hasEditState } from '../../publications/edit-state.js';
import { CancelPostDialog } from '../../publications/publication-dialogs.js';
import { canTakeBack } from '../../publications/shown-state.js';
import {
  type Publication,
  type ShownState,
  shownState,
  StateGlyph,
  stateNames as states,
  StatePill,
} from '../../publications/states.js';
import { TakeBackDialog } from '../../publications/take-back-dialog.js';
import { WaitingReason, WaitingTime } from '../../publications/waiting.js';
import { useMay } from '../../session/rights.js';
import { EditBanner, isEditOpen } from './edit-banner.js';
import { publicationMessages as shared } from './messages.js';
import { NumbersCard } from './numbers-card.js';
import { payloadTitle } from './payload-title.js';
import { isSeenTwice, PlannedBanner, TwiceBanner, UnreleasedEnd } from './planned-banner.js';
import { postMessages as m } from './planned-messages.js';
import { VersionsCard } from './versions-card.js';
import { isTakenBack, WithdrawalBanner } from './withdrawal-banner.js';

/** The screen for a post: all of its publications, its content, and the metadata that the client sent along. */
export const PostScreen = () => {
  const { id } = useParams({ from: '/posts/$id' });
  const post = useQuery({
    queryKey: ['post', id],
    queryFn: () => management().get('/posts/{id}', { path: { id } }),
  });
  if (post.data) return <Loaded post={post.data} />;
  return (
    <>
      <PageHead title={m.postLoading} trail={<Trail to="/timeline" list={shared.timeline} />} />
      <Card>
        {post.error ? <ErrorState error={post.error} onRetry={() => void post.refetch()} /> : <Skeleton rows={8} />}
      </Card>
    </>
  );
};

const Loaded = ({ post }: { readonly post: Api<'PostWithPayload'> }) => {
  const names = useNames();
  const mayReadHistory = useMay('GET /history/{aggregate}/{id}');
  const [dialog, setDialog] = useState<'cancel' | 'takeBack' | null>(null);
  const close = (): void => setDialog(null);
  const takenBack = post.publications.filter(isTakenBack);
  const twice = post.publications.find((each) => isSeenTwice(each) && !isTakenBack(each));
  const offered = isPlanned(post) ? [] : post.publications.filter(canTakeBack);
  const edits = isPlanned(post) ? [] : post.publications.filter((each) => isEditOpen(each) && !isTakenBack(each));
  const canEdit = post.payload !== null && post.publications.some(canBeEdited);
  const queued = post.publications.filter(({ state }) => state === 'queued').length;
  const counts = new Map<ShownState, number>();
  for (const publication of post.publications) {
    const state = shownState(publication);
    counts.set(state, (counts.get(state) ?? 0) + 1);
  }
  return (
    <>
      <PageHead
        trail={isPlanned(post) ? <Trail to="/plan" list={m.plan} /> : <Trail to="/timeline" list={shared.timeline} />}
        title={<bdi className="publication-title">{payloadTitle(post, shared.media)}</bdi>}
        actions={
          <>
            {post.payload !== null && (
              <ButtonLink icon="copy" to="/compose" search={{ again: post.id }}>
                {m.useAgain}
              </ButtonLink>
            )}
            {offered.length > 0 && (
              <>
                {queued > 0 && queued < offered.length && (
                  <Button needs="POST /posts/{id}/cancel" onClick={() => setDialog('cancel')}>
                    {m.cancelAll}
                  </Button>
                )}
                {canEdit && (
                  <ButtonLink icon="compose" to="/compose" search={{ post: post.id }}>
                    {m.edit}
                  </ButtonLink>
                )}
                <Button
                  needs="POST /posts/{id}/withdraw"
                  look="danger"
                  icon="takenBack"
                  onClick={() => setDialog('takeBack')}
                >
                  {m.takeBack}
                </Button>
              </>
            )}
          </>
        }
      >
        <div className="publication-facts">
          {[...counts].map(([state, count]) => (
            <span key={state} className="row">
              <StateGlyph state={state} size={14} isDecoration />
              {states[state]}: {format.number(count)}
            </span>
          ))}
          <span>
            · <SentenceText of={sentence(shared.accepted, { at: { at: post.accepted_at } })} />
          </span>
        </div>
      </PageHead>
      {takenBack.length > 0 && <WithdrawalBanner publications={takenBack} names={names} />}
      {edits.length > 0 && <EditBanner post={post} publications={edits} names={names} />}
      {twice && (
        <TwiceBanner
          key={twice.id}
          publication={twice}
          name={names.channel(twice.target_id)?.name ?? twice.target_id}
        />
      )}
      {isPlanned(post) ? <PlannedBanner post={post} /> : takenBack.length === 0 && <UnreleasedEnd post={post} />}
      <Columns second="316px">
        <div className="publication-side">
          <PublicationsCard post={post} names={names} />
          {post.publications.some(({ published_at: at }) => at !== null) && <NumbersCard post={post} names={names} />}
          <ContentCard payload={post.payload} names={names} isErased={post.content_erased} />
        </div>
        <div className="publication-side">
          {mayReadHistory && hasVersions(post) && <VersionsCard post={post} />}
          <DetailsCard post={post} names={names} />
        </div>
      </Columns>
      {dialog === 'cancel' && <CancelPostDialog postId={post.id} queued={queued} onClose={close} />}
      {dialog === 'takeBack' && <TakeBackDialog publications={offered} names={names} onClose={close} />}
    </>
  );
};

/** Returns whether a post has its own history, i.e. is or was planned. */
const hasVersions = ({ publish_at: at, approval, revision }: Api<'PostWithPayload'>): boolean =>
  at !== null || approval !== null || revision > 1;

/** States that end by themselves or wait for a person. */
const HAVE_TIME: ReadonlySet<Publication['state']> = new Set(['queued', 'withdrawing', 'withdraw_failed']);

/** True while an edit is more important than when the post was published. */
const isBehind = ({ state, edit }: Publication): boolean => state === 'published' && edit !== null;

interface PublicationsCardProps {
  readonly post: Api<'PostWithPayload'>;
  readonly names: Names;
}

const PublicationsCard = ({ post: { publications, payload, revision }, names }: PublicationsCardProps) => {
  const hasOwnText = ({ platform, target_id: id }: Publication): boolean =>
    [payload?.overrides?.[platform], payload?.overrides?.[id]].some((override) => override?.text !== undefined);
  return (
    <Card title={m.publications}>
      <ul className="post-publications">
        {publications.map((publication) => (
          <li key={publication.id}>
            <Link to="/publications/$id" params={{ id: publication.id }} className="post-publication">
              <NetworkMark platform={publication.platform} />
              <span className="post-channel cut">
                <bdi>{names.channel(publication.target_id)?.name ?? publication.target_id}</bdi>
                <span className="tertiary"> {networkTitle(publication.platform)}</span>
              </span>
              <StatePill state={shownState(publication)} />
              <span className="post-what secondary">
                {/* The banner already shows what planned posts are waiting for, and the pill is enough for posts that
                    were dismissed, unless they were taken back. */}
                {publication.state === 'planned' || (publication.state === 'dismissed' && !isTakenBack(publication))
                  ? hasOwnText(publication) && <span className="cut">{m.ownText}</span>
                  : !isBehind(publication) && (
                      <span className="cut">
                        <WaitingReason publication={publication} names={names} />
                      </span>
                    )}
                {HAVE_TIME.has(publication.state) && <WaitingTime publication={publication} />}
                {publication.state === 'published' && hasEditState({ publication, revision }) && (
                  <EditState publication={publication} revision={revision} />
                )}
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </Card>
  );
};

const DetailsCard = ({ post, names }: { readonly post: Api<'PostWithPayload'>; readonly names: Names }) => {
  const endpoint = names.endpoint(post.endpoint_id);
  return (
    <Card title={m.details}>
      <dl className="facts card-body">
        <div>
          <dt>{m.endpoint}</dt>
          <dd>
            <Link className="link cut" to="/endpoints/$id" params={{ id: post.endpoint_id }}>
              <bdi>{endpoint ? endpointName(endpoint) : post.endpoint_id}</bdi>
            </Link>
          </dd>
        </div>
        <Fact label={shared.postId} value={post.id} />
        {post.external_id !== null && <Fact label={m.externalId} value={post.external_id} />}
        {post.trace_id !== null && <Fact label={m.traceId} value={post.trace_id} />}
      </dl>
      {post.metadata !== null && (
        <div className="card-body">
          <h3 className="post-metadata">{m.metadata}</h3>
          <Json value={post.metadata} />
        </div>
      )}
    </Card>
  );
};

const Fact = ({ label, value }: { readonly label: string; readonly value: string }) => (
  <div>
    <dt>{label}</dt>
    <dd>
      <bdi className="mono cut" title={value}>
        {value}
      </bdi>
      <CopyButton text={value} look="quiet" />
    </dd>
  </div>
);
