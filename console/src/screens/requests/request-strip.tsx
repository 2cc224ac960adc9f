import { Card } from '../../components/card.js';
import { Moment } from '../../components/time.js';
import { format } from '../../i18n/format.js';
import { KIND_LOOKS, kindOf, KINDS, type LoggedRequest } from './explain.js';
import { requestsMessages as m } from './messages.js';

const HEIGHTS = { accepted: 14, replay: 8, unauthorized: 26, invalid: 26, tooMany: 20, disabled: 20 } as const;
const HEIGHT = 30;
const STEP = 10;
/** Number of slots for bars. With fewer requests, the bars are right-aligned. */
const PLACES = 100;

/** Maximum number of empty slots. With more, the times of the oldest and newest request would overlap on a phone. */
const MOST_EMPTY = 60;

/** A bar for each request, newest on the right. Clicking a bar opens the request in the table below. */
export const RequestStrip = ({
  items,
  onChoose,
}: {
  readonly items: readonly LoggedRequest[];
  readonly onChoose: (id: string) => void;
}) => {
  const oldestFirst = items.toReversed();
  const empty = Math.max(0, PLACES - oldestFirst.length);
  const summary = format.list(
    KINDS.map((kind) => [kind, items.filter((request) => kindOf(request) === kind).length] as const)
      .filter(([, count]) => count > 0)
      .map(([kind, count]) => `${m.kinds[kind]}: ${count}`),
  );
  const choose = (event: { readonly clientX: number; readonly currentTarget: SVGSVGElement }): void => {
    const { left, width } = event.currentTarget.getBoundingClientRect();
    const index = Math.floor(((event.clientX - left) / width) * (empty + oldestFirst.length)) - empty;
    const request = oldestFirst[index];
    if (request) onChoose(request.id);
  };
  return (
    <Card title={m.strip(items.length)} aside={m.stripHint} className="request-strip">
      <svg
        viewBox={`0 0 ${(empty + oldestFirst.length) * STEP} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={summary}
        onClick={choose}
      >
        {oldestFirst.map((request, index) => {
          const kind = kindOf(request);
          return (
            <rect
              key={request.id}
              className={`strip-bar tone-${KIND_LOOKS[kind].tone} strip-${kind}`}
              x={(empty + index) * STEP + 1}
              y={HEIGHT - HEIGHTS[kind]}
              width={STEP - 2}
              height={HEIGHTS[kind]}
            />
          );
        })}
      </svg>
      <div className="strip-ends tertiary">
        {/* Under the oldest request's bar; omitted where it would overlap the newest request's time. */}
        <span style={{ marginLeft: `${empty}%` }}>{empty <= MOST_EMPTY && <Moment at={oldestFirst[0]!.at} />}</span>
        <Moment at={items[0]!.at} />
      </div>
    </Card>
  );
};
