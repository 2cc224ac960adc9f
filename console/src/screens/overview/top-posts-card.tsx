import '../../statistics/statistics.css';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { management } from '../../api/management.js';
import { Button } from '../../components/button.js';
import { Card } from '../../components/card.js';
import { useSave } from '../../components/form.js';
import { Loaded } from '../../components/states.js';
import { Moment } from '../../components/time.js';
import { format } from '../../i18n/format.js';
import { useScope } from '../../session/session.js';
import { statisticsMessages as m } from '../../statistics/messages.js';

const COUNT = 5;
/** How often to look for new samples, in ms: they are no change that the gateway announces. */
const LOOK_MS = 60_000;

/** The posts of the last 30 days that most people saw, and all numbers as a file. */
const TopPostsCard = () => {
  const scope = useScope();
  const top = useQuery({
    queryKey: ['overview', scope.key, 'top'],
    queryFn: () => management().get('/statistics/top', { query: { ...scope.query, limit: COUNT } }),
    refetchInterval: LOOK_MS,
  });
  const { save: download, isBusy } = useSave(async () => {
    const answer = await management().open('/statistics.csv', { query: scope.query });
    const url = URL.createObjectURL(await answer.blob());
    const link = document.createElement('a');
    link.href = url;
    link.download = 'statistics.csv';
    link.click();
    URL.revokeObjectURL(url);
  });
  return (
    <Card
      title={m.topTitle}
      aside={
        <Button size="small" busy={isBusy} onClick={download}>
          {m.csv}
        </Button>
      }
    >
      <Loaded query={top} rows={3}>
        {({ items }) =>
          items.length === 0 ? (
            <p className="card-body secondary">{m.noTop}</p>
          ) : (
            <ol className="top-posts">
              {items.map(({ post_id: id, excerpt, published_at: at, totals }) => (
                <li key={id}>
                  <Link className="link cut" to="/posts/$id" params={{ id }}>
                    <bdi>{excerpt ?? m.withoutText}</bdi>
                  </Link>
                  <span className="tertiary">
                    <Moment at={at} />
                  </span>
                  <span>
                    <span className="visually-hidden">{m.names.views}: </span>
                    <b>{format.number(totals.views ?? 0)}</b>
                  </span>
                </li>
              ))}
            </ol>
          )
        }
      </Loaded>
    </Card>
  );
};

export default TopPostsCard;
