import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type Api, GatewayError, management } from '../../api/management.js';
import type { Names } from '../../api/things.js';
import { Button } from '../../components/button.js';
import { Card } from '../../components/card.js';
import { useSave } from '../../components/form.js';
import { NetworkMark } from '../../components/icon.js';
import { GatewayText } from '../../components/sentence.js';
import { Loaded } from '../../components/states.js';
import { Moment } from '../../components/time.js';
import { toast } from '../../components/toasts.js';
import { format } from '../../i18n/format.js';
import { statisticsMessages as m } from '../../statistics/messages.js';
import { Figures, listKnown, type NumberName, NumbersChart } from '../../statistics/numbers.js';
import { serverNow } from '../../time/server-clock.js';

/** How often to look for new samples, in ms: they are no change that the gateway announces. */
const LOOK_MS = 30_000;

type Counted = Api<'PublicationStatistics'>;

interface NumbersCardProps {
  readonly post: Api<'PostWithPayload'>;
  readonly names: Names;
}

/** How many people saw a post: the totals, and for each channel the numbers or why there are none. */
export const NumbersCard = ({ post: { id }, names }: NumbersCardProps) => {
  const queries = useQueryClient();
  const queryKey = ['post', id, 'statistics'];
  const numbers = useQuery({
    queryKey,
    queryFn: () => management().get('/posts/{id}/statistics', { path: { id } }),
    refetchInterval: LOOK_MS,
  });
  const { save: read, isBusy } = useSave(async () => {
    try {
      queries.setQueryData(queryKey, await management().post('/posts/{id}/statistics', { path: { id } }));
    } catch (error) {
      if (!(error instanceof GatewayError) || error.code !== 'too_soon') throw error;
      toast(m.tooSoon);
    }
  });
  return (
    <Card
      title={m.title}
      aside={
        <Button needs="POST /posts/{id}/statistics" size="small" busy={isBusy} onClick={read}>
          {m.readNow}
        </Button>
      }
    >
      <Loaded query={numbers} rows={4}>
        {({ totals, publications }) => {
          const known = listKnown([totals]);
          const shown = known.includes('views') ? 'views' : known[0];
          const top = Math.max(
            0,
            ...publications.flatMap((each) => each.samples.map((one) => valueOf(one, shown) ?? 0)),
          );
          return (
            <>
              {known.length > 0 && (
                <div className="numbers-total">
                  <Figures numbers={totals} isKnownOnly />
                </div>
              )}
              {publications.map((publication) => (
                <Numbers key={publication.id} {...{ publication, names, top, shown }} />
              ))}
            </>
          );
        }}
      </Loaded>
    </Card>
  );
};

const valueOf = (numbers: Counted['samples'][number], name: NumberName | undefined): number | null =>
  name === undefined ? null : numbers[name];

interface NumbersProps {
  readonly publication: Counted;
  readonly names: Names;
  readonly shown: NumberName | undefined;
  readonly top: number;
}

const Numbers = ({ publication, names, shown, top }: NumbersProps) => {
  const { platform, target_id: id, statistics, samples } = publication;
  const { state, text, as_of: at } = statistics;
  const points = samples
    .filter((sample) => valueOf(sample, shown) !== null)
    .map((sample) => [format.moment(sample.at, serverNow()), valueOf(sample, shown)] as const);
  const note = state === 'gone' && at === null ? 'goneWithout' : state;
  return (
    <div className="numbers-of">
      <div>
        <h3>
          <NetworkMark platform={platform} size={16} />
          <bdi className="cut">{names.channel(id)?.name ?? id}</bdi>
        </h3>
        {text !== null && (
          <p className="secondary">
            <GatewayText text={text} />
          </p>
        )}
        {text === null && state !== 'ok' && <p className="secondary">{m.states[note]}</p>}
        {at !== null && (
          <>
            <Figures numbers={statistics} />
            <p className="tertiary">
              {m.readAt} <Moment at={at} />
            </p>
          </>
        )}
      </div>
      {shown !== undefined && points.length > 1 && (
        <NumbersChart
          title={m.chart(m.names[shown] ?? shown)}
          valueName={m.names[shown] ?? shown}
          points={points}
          top={top}
        />
      )}
    </div>
  );
};
