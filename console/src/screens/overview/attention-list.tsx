import './attention-list.css';
import { useState } from 'react';
import type { Attention, Overview } from '../../api/overview.js';
import { Button } from '../../components/button.js';
import { Icon, type IconName, type Tone } from '../../components/icon.js';
import { GatewayText, SentenceText } from '../../components/sentence.js';
import { Moment } from '../../components/time.js';
import { useAdvice } from '../../i18n/advice.js';
import { format } from '../../i18n/format.js';
import { useScope } from '../../session/scope.js';
import { AttentionActions, MoreLink } from './attention-actions.js';
import { attentionMessages as m } from './attention-messages.js';
import { describeAttention } from './describe-attention.js';

const LOOKS: Readonly<Record<string, { readonly name: IconName; readonly tone: Tone }>> = {
  restored: { name: 'inDoubt', tone: 'doubt' },
  in_doubt: { name: 'inDoubt', tone: 'doubt' },
  published_twice: { name: 'published', tone: 'warn' },
  channel_needs_attention: { name: 'onHold', tone: 'warn' },
  endpoint_disabled: { name: 'switchedOff', tone: 'warn' },
  quota_exhausted: { name: 'onHold', tone: 'warn' },
  publication_failed: { name: 'failed', tone: 'fail' },
  webhook_output_disabled: { name: 'switchedOff', tone: 'warn' },
  approval_needed: { name: 'person', tone: 'warn' },
  projection_stopped: { name: 'failed', tone: 'fail' },
  store_unavailable: { name: 'failed', tone: 'fail' },
};

/** Number of items shown until the list is expanded. */
const SHOWN = 5;

/** The items that need attention, worst first, each with buttons to resolve it. */
export const AttentionList = ({ overview }: { readonly overview: Overview }) => {
  const [isAll, setIsAll] = useState(false);
  const isOfAll = useScope().ownerId === null;
  const items = isOfAll ? putGatewayFirst(overview.attention) : overview.attention;
  if (items.length === 0) return null;
  const rest = items.length - SHOWN;
  return (
    <section className="card attention" aria-label={m.title}>
      <ul>
        {items.slice(0, isAll ? undefined : SHOWN).map((item, index) => (
          <AttentionRow key={item.code} item={item} isFirst={index === 0} isOfAll={isOfAll} />
        ))}
      </ul>
      {rest > 0 && !isAll && (
        <Button look="quiet" onClick={() => setIsAll(true)}>
          {m.showRest(format.number(rest))}
        </Button>
      )}
    </section>
  );
};

/** Puts the gateway's own problems first: only operators can fix them, while owners can resolve the rest. */
export const putGatewayFirst = (items: readonly Attention[]): readonly Attention[] => {
  const isOfGateway = ({ code }: Attention): boolean => code === 'store_unavailable' || code === 'projection_stopped';
  return [...items.filter(isOfGateway), ...items.filter((item) => !isOfGateway(item))];
};

const AttentionRow = ({
  item,
  isFirst,
  isOfAll,
}: {
  readonly item: Attention;
  readonly isFirst: boolean;
  readonly isOfAll: boolean;
}) => {
  const advise = useAdvice();
  const { title, details, reason } = describeAttention(item, { m, format, advise, isOfAll });
  return (
    <li>
      <Icon size={20} {...(LOOKS[item.code] ?? { name: 'onHold', tone: 'warn' })} />
      <div className="attention-text">
        <h2>
          <SentenceText of={title} />
        </h2>
        <p className="secondary">
          {details.map((detail, index) => (
            <span key={index}>
              <SentenceText of={detail} />{' '}
            </span>
          ))}
          {reason !== null && <GatewayText text={reason} />}
        </p>
        {!isOfAll && item.count > 1 && <MoreLink item={item} />}
      </div>
      <span className="tertiary attention-since">
        {m.since} <Moment at={item.since} />
      </span>
      <div className="attention-actions">
        <AttentionActions item={item} isFirst={isFirst} isOfMany={isOfAll && item.count > 1} />
      </div>
    </li>
  );
};
