import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { type Api, management } from '../../api/management.js';
import { Button, ButtonLink } from '../../components/button.js';
import { Card } from '../../components/card.js';
import { Icon } from '../../components/icon.js';
import { Empty, Loaded } from '../../components/states.js';
import { DataTable } from '../../components/table.js';
import { Moment } from '../../components/time.js';
import { format } from '../../i18n/format.js';
import { type ShownState, shownState, stateNames as names, StatePill } from '../../publications/states.js';
import { useScope } from '../../session/session.js';
import { channelMessages as m } from './messages.js';

/** Number of receipts on a page. */
const PAGE = 20;
/** Number of posts to load for the text shown next to the receipts. */
const TEXTS = 200;

interface LatestPosts {
  /** Number of the channel's latest publication; 0 if it has none. */
  readonly last: number;
  readonly texts: ReadonlyMap<string, string>;
  readonly publications: ReadonlyMap<string, Api<'Publication'>>;
}

/** Returns the query for a channel's latest posts: their text, and the number of the newest publication. */
const useLatestPosts = (channelId: string) => {
  const scope = useScope();
  return useQuery({
    queryKey: ['posts', scope.key, 'of-channel', channelId],
    queryFn: () => management().get('/posts', { query: { channel_id: channelId, limit: TEXTS } }),
    select: ({ items }): LatestPosts => {
      const texts = new Map<string, string>();
      const publications = new Map<string, Api<'Publication'>>();
      let last = 0;
      for (const post of items)
        for (const publication of post.publications) {
          if (publication.target_id !== channelId) continue;
          last = Math.max(last, publication.sequence ?? 0);
          publications.set(publication.id, publication);
          if (post.excerpt !== null) texts.set(publication.id, post.excerpt);
        }
      return { last, texts, publications };
    },
  });
};

/** A channel's receipts: its publications by number, one page at a time, newest last. */
export const ReceiptsCard = ({ channelId }: { readonly channelId: string }) => {
  const latest = useLatestPosts(channelId);
  /** Number of the last receipt on the page; null for the newest. */
  const [end, setEnd] = useState<number | null>(null);
  const last = latest.data?.last ?? 0;
  const until = Math.min(end ?? last, last);
  const from = Math.max(1, until - PAGE + 1);
  return (
    <Card
      title={m.receipts}
      aside={
        last > 0 && (
          <Link className="link" to="/timeline" search={{ channel: channelId }}>
            {m.inTimeline}
          </Link>
        )
      }
    >
      <Loaded query={latest}>
        {(posts) =>
          posts.last === 0 ? (
            <Empty
              icon="timeline"
              title={m.noReceipts}
              action={
                <ButtonLink icon="compose" to="/compose">
                  {m.compose}
                </ButtonLink>
              }
            >
              {m.noReceiptsText}
            </Empty>
          ) : (
            <>
              <Receipts channelId={channelId} from={from} until={until} posts={posts} />
              <div className="pager">
                <span className="tertiary">
                  {m.receiptsRange(format.number(from), format.number(until), format.number(last))}
                </span>
                {last > PAGE && (
                  <>
                    <Button size="small" disabled={from === 1} onClick={() => setEnd(from - 1)}>
                      {m.older}
                    </Button>
                    <Button
                      size="small"
                      disabled={until === last}
                      onClick={() => setEnd(until + PAGE >= last ? null : until + PAGE)}
                    >
                      {m.newer}
                    </Button>
                  </>
                )}
              </div>
            </>
          )
        }
      </Loaded>
    </Card>
  );
};

/** A state, subdued if it is "published". */
const State = ({ state }: { readonly state: ShownState }) => {
  if (state !== 'published') return <StatePill state={state} />;
  return (
    <span className="row receipt-published">
      <Icon name="published" tone="ok" size={14} />
      {names.published}
    </span>
  );
};

interface ReceiptsProps {
  readonly channelId: string;
  readonly from: number;
  readonly until: number;
  readonly posts: LatestPosts;
}

const Receipts = ({ channelId, from, until, posts }: ReceiptsProps) => {
  const receipts = useQuery({
    queryKey: ['posts', 'receipts', channelId, from, until],
    queryFn: () =>
      management().get('/channels/{id}/receipts', {
        path: { id: channelId },
        query: { from: String(from), limit: Math.max(1, until - from + 1) },
      }),
    placeholderData: keepPreviousData,
  });
  const stateOf = (receipt: Api<'Receipt'>): ShownState =>
    shownState(posts.publications.get(receipt.publication_id) ?? { state: receipt.state, waiting_for: null });
  return (
    <Loaded query={receipts} rows={8}>
      {({ items }) => (
        <DataTable
          className="receipts"
          items={items}
          keyOf={({ publication_id: id }) => id}
          rowClass={() => ''}
          columns={[
            { title: m.number, className: 'number', cell: ({ sequence }) => format.number(sequence) },
            { title: m.state, cell: (receipt) => <State state={stateOf(receipt)} /> },
            {
              title: m.post,
              className: 'receipt-post',
              cell: ({ publication_id: id, sequence }) => (
                <Link className="link cut" to="/publications/$id" params={{ id }}>
                  <bdi>{posts.texts.get(id) ?? m.openPost(format.number(sequence))}</bdi>
                </Link>
              ),
            },
            {
              title: m.messageIds,
              className: 'mono cut receipt-ids',
              cell: ({ message_ids: ids }) => <span title={ids.join(', ')}>{ids.join(', ')}</span>,
            },
            {
              title: m.publishedAt,
              className: 'number',
              cell: ({ published_at: at }) => at !== null && <Moment at={at} />,
            },
          ]}
        />
      )}
    </Loaded>
  );
};
