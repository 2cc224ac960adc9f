import { useQuery } from '@tanstack/react-query';
import { type Api, management } from '../../api/management.js';
import { Card } from '../../components/card.js';
import { networkInText } from '../../components/icon.js';
import { Loaded } from '../../components/states.js';
import { format } from '../../i18n/format.js';
import { statisticsMessages as m } from '../../statistics/messages.js';
import { Figures, listKnown, NUMBER_NAMES, type Numbers, NumbersChart } from '../../statistics/numbers.js';

/** How often to look for new samples, in ms: they are no change that the gateway announces. */
const LOOK_MS = 60_000;

/** What a channel published in the last 30 days, and how many people saw it. */
export const ChannelNumbersCard = ({ channel: { id, platform } }: { readonly channel: Api<'Channel'> }) => {
  const statistics = useQuery({
    queryKey: ['channel', id, 'statistics'],
    queryFn: () => management().get('/channels/{id}/statistics', { path: { id } }),
    refetchInterval: LOOK_MS,
  });
  return (
    <Card title={m.channelTitle}>
      <Loaded query={statistics} rows={4}>
        {({ buckets }) => {
          const published = buckets.reduce((sum, bucket) => sum + bucket.published, 0);
          if (published === 0) return <p className="card-body secondary">{m.nothing}</p>;
          const shown = listKnown(buckets)[0];
          const name = shown === undefined ? m.posts : (m.names[shown] ?? shown);
          return (
            <div className="card-body channel-numbers">
              <div className="row">
                <b>{m.postCount(published)}</b>
              </div>
              {shown === undefined ? (
                <p className="secondary">{m.noNumbers(networkInText(platform))}</p>
              ) : (
                <Figures numbers={sumOf(buckets)} isKnownOnly />
              )}
              <NumbersChart
                title={shown === undefined ? m.postsInDays : m.inDays(name)}
                valueName={name}
                points={buckets.map((bucket) => [
                  format.day(bucket.at),
                  shown === undefined ? bucket.published : bucket[shown],
                ])}
              />
            </div>
          );
        }}
      </Loaded>
    </Card>
  );
};

const sumOf = (all: readonly Numbers[]): Numbers => {
  const sums = NUMBER_NAMES.map((name) => {
    const known = all.map((each) => each[name]).filter((value) => value !== null);
    return [name, known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0)];
  });
  return Object.fromEntries(sums) as Numbers;
};
