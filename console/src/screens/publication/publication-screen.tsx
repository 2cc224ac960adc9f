import './publication-screen.css';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { type Api, management } from '../../api/management.js';
import { useEndpoints, useNames } from '../../api/things.js';
import { Button, ButtonLink, CopyButton } from '../../components/button.js';
import { Card, Columns, PageHead } from '../../components/card.js';
import { CodeBlock } from '../../components/code.js';
import { Icon, networkInText, NetworkMark } from '../../components/icon.js';
import { Trail } from '../../components/resource.js';
import { SentenceText } from '../../components/sentence.js';
import { ErrorState, Skeleton } from '../../components/states.js';
import { useActorName } from '../../history/actors.js';
import { format, sentence } from '../../i18n/format.js';
import { EditState, hasEditState } from '../../publications/edit-state.js';
import { isOpen, mayBeSeen } from '../../publications/shown-state.js';
import { type Publication, shownState, StatePill } from '../../publications/states.js';
import { TakeBackDialog } from '../../publications/take-back-dialog.js';
import { readBrand } from '../../publish-code/brand.js';
import { publishCode } from '../../publish-code/publish-code.js';
import { useMay } from '../../session/rights.js';
import { Banner } from './banner.js';
import { EditBanner, isEditOpen } from './edit-banner.js';
import { HistoryCard, useTrace } from './history-card.js';
import { publicationMessages as m } from './messages.js';
import { payloadTitle } from './payload-title.js';
import { postMessages } from './planned-messages.js';
import { ElsewhereCard, ProofCard, ReadersCard } from './side-cards.js';
import { textMember } from './story.js';

interface CallsViewProps {
  readonly publication: Publication;
  readonly calls: Calls;
  /** The reason the sandbox cannot be called; null if it can. */
  readonly obstacle: string | null;
}

/** The API calls that would send a publication now, with a note that calls from past attempts are not stored. */
export const CallsView = ({ publication, calls: { preview, error, isBusy, ask }, obstacle }: CallsViewProps) => {
  if (obstacle !== null) return <p className="tertiary">{obstacle}</p>;
  const requests = (preview?.[publication.platform]?.requests ?? []).filter(
    ({ target_id: target }) => target === publication.target_id,
  );
  return (
    <div className="calls">
      <p className="tertiary">{m.callsNotStored}</p>
      {error !== null && error !== undefined && <ErrorState error={error} onRetry={ask} />}
      {preview === undefined && !error && (
        <p>
          <Button needs="POST /endpoints/{id}/sandbox" size="small" busy={isBusy} onClick={ask}>
            {m.showCalls}
          </Button>{' '}
          <span className="tertiary">{m.showCallsHint}</span>
        </p>
      )}
      {preview !== undefined && requests.length === 0 && <p>{m.noCalls}</p>}
      {requests.map(({ step, method, request }, index) => (
        <details key={index} open={requests.length <= 2}>
          <summary>
            <Icon name="chevronRight" size={14} />
            <span className="mono">{method}</span>
            <span className="tertiary cut">{step}</span>
          </summary>
          <CodeBlock text={JSON.stringify(request, null, 2)} label={method} />
        </details>
      ))}
    </div>
  );
};

/** The sandbox's response for a post, fetched on demand, because each call counts toward a quota. */
export interface Calls {
  /** The networks' previews; undefined before they are fetched. */
  readonly preview: Api<'SandboxResult'>['preview'] | undefined;
  readonly error: unknown;
  readonly isBusy: boolean;
  readonly ask: () => void;
}

/** Returns the API calls that would send a post now, according to its endpoint's sandbox. */
export const useCalls = (endpointId: string, payload: Api<'PostWithPayload'>['payload']): Calls => {
  // A mutation, not a query, so that it runs again only when the button is pressed.
  const { data, error, isPending, mutate } = useMutation({
    mutationFn: () => management().post('/endpoints/{id}/sandbox', { path: { id: endpointId }, body: payload ?? {} }),
  });
  return { preview: data?.preview, error, isBusy: isPending, ask: () => mutate() };
};

/**
 * The screen for a publication: what it needs, its history up to the network's response, and the proof of that history.
 */
export const PublicationScreen = () => {
  const { id } = useParams({ from: '/publications/$id' });
  const publication = useQuery({
    queryKey: ['publication', id],
    queryFn: () => management().get('/publications/{id}', { path: { id } }),
  });
  const postId = publication.data?.post_id;
  const post = useQuery({
    queryKey: ['post', postId],
    queryFn: () => management().get('/posts/{id}', { path: { id: postId ?? '' } }),
    enabled: postId !== undefined,
  });
  const failed = publication.data ? post : publication;
  if (publication.data && post.data) return <Loaded key={id} publication={publication.data} post={post.data} />;
  return (
    <>
      <PageHead title={m.loading} trail={<Trail to="/timeline" list={m.timeline} />} />
      <Card>
        {failed.error ? (
          <ErrorState error={failed.error} onRetry={() => void failed.refetch()} />
        ) : (
          <Skeleton rows={8} />
        )}
      </Card>
    </>
  );
};

interface LoadedProps {
  readonly publication: Publication;
  readonly post: Api<'PostWithPayload'>;
}

const Loaded = ({ publication, post }: LoadedProps) => {
  const names = useNames();
  const endpoints = useEndpoints();
  const calls = useCalls(post.endpoint_id, post.payload);
  const mayPreview = useMay('POST /endpoints/{id}/sandbox');
  const obstacle =
    post.payload === null
      ? m.noPayload
      : endpoints.data !== undefined && !names.endpoint(post.endpoint_id)
        ? m.endpointGone
        : null;
  return (
    <>
      <Head publication={publication} post={post} />
      <Banner publication={publication} post={post} names={names} />
      {isEditOpen(publication) && publication.state === 'published' && (
        <EditBanner post={post} publications={[publication]} names={names} />
      )}
      <Columns second="316px">
        {useMay('GET /history/trace/{id}') && (
          <HistoryCard
            publication={publication}
            post={post}
            names={names}
            calls={<CallsView publication={publication} calls={calls} obstacle={obstacle} />}
          />
        )}
        <div className="publication-side">
          <ElsewhereCard publication={publication} post={post} names={names} />
          {obstacle === null && mayPreview && (
            <ReadersCard publication={publication} post={post} names={names} calls={calls} />
          )}
          <ProofCard publication={publication} />
        </div>
      </Columns>
    </>
  );
};

const Head = ({ publication, post }: { readonly publication: Publication; readonly post: Api<'PostWithPayload'> }) => {
  const names = useNames();
  const [isTakingBack, setIsTakingBack] = useState(false);
  const trace = useTrace(publication.id).data;
  const channel = names.channel(publication.target_id);
  const title = payloadTitle(post, m.media);
  const settled = post.publications.filter((each) => !isOpen(each)).length;
  const accepted = trace?.events.find(({ type }) => type === 'PostAccepted') ?? null;
  const endpoint = names.endpoint(post.endpoint_id);
  const key = textMember(accepted, 'key');
  const actorName = useActorName();
  const settledBy = trace?.events.findLast(
    ({ type, aggregate_id: id }) => type === 'PublicationDismissed' && id === publication.id,
  );
  return (
    <PageHead
      trail={
        <>
          <Link className="link" to="/timeline">
            {m.timeline}
          </Link>
          <span aria-hidden="true">/</span>
          <Link className="link cut" to="/posts/$id" params={{ id: post.id }}>
            {m.thisPost}
          </Link>
          <span aria-hidden="true">/</span>
          <NetworkMark platform={publication.platform} label={false} />
          <span className="cut">
            <bdi>{channel?.name ?? publication.target_id}</bdi> {m.on(networkInText(publication.platform))}
          </span>
        </>
      }
      title={<bdi className="publication-title">{title}</bdi>}
      actions={
        <>
          {post.payload !== null && endpoint && (
            <CopyButton
              text={publishCode(endpoint, post.payload, key === null ? 'none' : { key }, readBrand()).curl}
              size="normal"
            >
              {m.copyCurl}
            </CopyButton>
          )}
          {post.payload !== null && (
            <ButtonLink icon="copy" to="/compose" search={{ again: post.id }}>
              {postMessages.useAgain}
            </ButtonLink>
          )}
          {mayBeSeen(publication) && post.payload !== null && (
            <ButtonLink icon="compose" to="/compose" search={{ post: post.id }}>
              {postMessages.edit}
            </ButtonLink>
          )}
          {mayBeSeen(publication) && (
            <Button
              needs="POST /publications/{id}/withdraw"
              look="danger"
              icon="takenBack"
              onClick={() => setIsTakingBack(true)}
            >
              {postMessages.takeBack}
            </Button>
          )}
          {isTakingBack && (
            <TakeBackDialog publications={[publication]} names={names} onClose={() => setIsTakingBack(false)} />
          )}
        </>
      }
    >
      <div className="publication-facts">
        <StatePill state={shownState(publication)} by={settledBy ? actorName(settledBy) : null} />
        <span>
          {publication.sequence !== null && `${m.number(format.number(publication.sequence))} · `}
          <SentenceText of={sentence(m.accepted, { at: { at: post.accepted_at } })} /> ·{' '}
          {m.channels(post.publications.length, settled)}
        </span>
        {hasEditState({ publication, revision: post.revision }) && (
          <EditState publication={publication} revision={post.revision} />
        )}
      </div>
    </PageHead>
  );
};
