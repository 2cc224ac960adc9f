import './publication-screen.css';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { type Api, management } from '../../api/management.js';
import { useEndpoints, useNames } from '../../api/things.js';
import { Card, PageHead } from '../../components/card.js';
import { CopyButton } from '../../components/copy.js';
import { NetworkMark, networkTitle } from '../../components/icon.js';
import { SentenceText } from '../../components/sentence.js';
import { ErrorState, Skeleton } from '../../components/states.js';
import { format } from '../../i18n/format.js';
import { sentence } from '../../i18n/sentence.js';
import { isOpen } from '../../publications/posts.js';
import { type Publication, shownState, StatePill } from '../../publications/states.js';
import { readBrand } from '../../publish-code/brand.js';
import { publishCode } from '../../publish-code/publish-code.js';
import { Banner } from './banner.js';
import { CallsView } from './calls-view.js';
import { HistoryCard, useTrace } from './history-card.js';
import { publicationMessages as m } from './messages.js';
import { payloadTitle } from './payload-title.js';
import { ElsewhereCard, ProofCard, ReadersCard } from './side-cards.js';
import { textMember } from './story.js';
import { useCalls } from './use-calls.js';

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
      <PageHead title={m.loading} trail={<Link to="/timeline">{m.timeline}</Link>} />
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

const Loaded = ({
  publication,
  post,
}: {
  readonly publication: Publication;
  readonly post: Api<'PostWithPayload'>;
}) => {
  const names = useNames();
  const endpoints = useEndpoints();
  const calls = useCalls(post.endpoint_id, post.payload);
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
      <div className="publication-columns">
        <HistoryCard
          publication={publication}
          post={post}
          names={names}
          calls={<CallsView publication={publication} calls={calls} obstacle={obstacle} />}
        />
        <div className="publication-side">
          <ElsewhereCard publication={publication} post={post} names={names} />
          {obstacle === null && <ReadersCard publication={publication} post={post} names={names} calls={calls} />}
          <ProofCard publication={publication} />
        </div>
      </div>
    </>
  );
};

const Head = ({ publication, post }: { readonly publication: Publication; readonly post: Api<'PostWithPayload'> }) => {
  const names = useNames();
  const trace = useTrace(publication.id).data;
  const channel = names.channel(publication.target_id);
  const title = payloadTitle(post, m.media);
  const settled = post.publications.filter((each) => !isOpen(each)).length;
  const accepted = trace?.events.find(({ type }) => type === 'PostAccepted') ?? null;
  const endpoint = names.endpoint(post.endpoint_id);
  const key = textMember(accepted, 'key');
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
            <bdi>{channel?.name ?? publication.target_id}</bdi> {m.on(networkTitle(publication.platform))}
          </span>
        </>
      }
      title={<bdi className="publication-title">{title}</bdi>}
      actions={
        post.payload !== null &&
        endpoint && (
          <CopyButton
            text={publishCode(endpoint, post.payload, key === null ? 'none' : { key }, readBrand()).curl}
            size="normal"
          >
            {m.copyCurl}
          </CopyButton>
        )
      }
    >
      <div className="publication-facts">
        <StatePill state={shownState(publication)} />
        <span>
          {publication.sequence !== null && `${m.number(format.number(publication.sequence))} · `}
          <SentenceText of={sentence(m.accepted, { at: { at: post.accepted_at } })} /> ·{' '}
          {m.channels(post.publications.length, settled)}
        </span>
      </div>
    </PageHead>
  );
};
