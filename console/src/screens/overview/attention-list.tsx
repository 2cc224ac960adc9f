import './attention-list.css';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, type LinkProps } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { management } from '../../api/management.js';
import { type Attention, type Overview, useIsForYou } from '../../api/overview.js';
import { RetryButton } from '../../channels/retry-button.js';
import { Button, ButtonLink } from '../../components/button.js';
import { useSave } from '../../components/form.js';
import { Icon, type IconName, type Tone } from '../../components/icon.js';
import { GatewayText, SentenceText } from '../../components/sentence.js';
import { Moment } from '../../components/time.js';
import { toast } from '../../components/toasts.js';
import { format, getFormat } from '../../i18n/format.js';
import { useLocale } from '../../i18n/messages.js';
import { useApprovers } from '../../planning/approvers.js';
import { type Route, useMay } from '../../session/rights.js';
import { useScope } from '../../session/session.js';
import { describeAttention } from './describe-attention.js';
import { attentionMessages as m } from './messages.js';

/** How long the deliveries to a webhook output must keep failing before it is disabled, in ms. */
const OUTPUT_FAILURES_MS = 5 * 24 * 3_600_000;

/** Returns a function that calls the gateway to resolve an item that needs attention, and reports the outcome. */
export const useAttentionCalls = (): ((item: Attention) => Promise<void>) => {
  const format = getFormat(useLocale());
  const queries = useQueryClient();
  return async ({ code, since, subject }) => {
    const path = { id: subject.id ?? '' };
    const name = subject.name ?? path.id;
    const refresh = (...keys: readonly string[]): void => {
      for (const key of ['overview', ...keys]) void queries.invalidateQueries({ queryKey: [key] });
    };
    if (code === 'endpoint_disabled') {
      await management().post('/endpoints/{id}/enable', { path });
      refresh('endpoints', 'endpoint');
      toast(m.enabled(name));
    }
    if (code === 'webhook_output_disabled') {
      await management().post('/webhook-outputs/{id}/enable', { path });
      const from = new Date(Date.parse(since) - OUTPUT_FAILURES_MS).toISOString();
      const { retried } = await management().post('/webhook-outputs/{id}/retry-failed', {
        path,
        body: { since: from },
      });
      refresh('outputs', 'output', 'deliveries');
      toast(m.replayed(retried, format.number(retried)));
    }
  };
};

/** Loaded on demand to keep the first download small. */
const ReviewDialog = lazy(async () => ({ default: (await import('../../planning/review-dialog.js')).ReviewDialog }));

const RecoveryDialog = lazy(async () => ({ default: (await import('./recovery-dialog.js')).RecoveryDialog }));

/** Screens that list all items of a type, by attention code. */
const LISTS: Readonly<Record<string, Pick<LinkProps, 'to' | 'search'>>> = {
  withdraw_failed: { to: '/timeline', search: { state: 'withdraw_failed' } },
  in_doubt: { to: '/timeline', search: { state: 'in_doubt' } },
  publication_failed: { to: '/timeline', search: { state: 'failed' } },
  approval_needed: { to: '/plan' },
  channel_needs_attention: { to: '/channels' },
  endpoint_disabled: { to: '/endpoints' },
  webhook_output_disabled: { to: '/outputs' },
  quota_exhausted: { to: '/owners' },
  projection_stopped: { to: '/projections' },
};

/** A link to the other items of the same type. */
export const MoreLink = ({ item }: { readonly item: Attention }) => {
  const list = LISTS[item.code];
  if (!list) return null;
  return (
    <Link className="link tertiary" {...list}>
      {m.more(format.number(item.count - 1))}
    </Link>
  );
};

interface AttentionActionsProps {
  readonly item: Attention;
  readonly isFirst: boolean;
  /** True if the sentence covers all items of that type, not just the first. */
  readonly isOfMany: boolean;
}

/** The buttons that resolve an item, main action first. */
export const AttentionActions = ({ item, isFirst, isOfMany }: AttentionActionsProps) => {
  const { action } = m;
  const mayApprove = useMay('POST /posts/{id}/approve');
  const look = isFirst ? 'primary' : 'plain';
  const { subject } = item;
  const { id, publication_id: publicationId, disabled_by: disabledBy } = subject;
  if (item.code === 'restored') return <SettleButton look={look} />;
  const list = LISTS[item.code];
  // No list shows only duplicates: they are resolved one after another.
  if ((isOfMany && item.code !== 'published_twice' && item.code !== 'edit_failed') || id === null)
    return (
      list && (
        <ButtonLink look={look} {...list}>
          {action.viewAll}
        </ButtonLink>
      )
    );
  const plan = (
    <ButtonLink look={look} to="/owners/$id" params={{ id: item.subject.owner_id ?? id }}>
      {action.viewPlan}
    </ButtonLink>
  );
  switch (item.code) {
    case 'withdraw_failed':
    case 'in_doubt':
    case 'published_twice':
    case 'publication_failed':
    case 'edit_failed':
      return (
        <ButtonLink look={look} to="/publications/$id" params={{ id: publicationId ?? id }}>
          {item.code === 'publication_failed' ? action.viewReason : action.resolve}
        </ButtonLink>
      );
    case 'channel_needs_attention':
      return (
        <>
          <RetryButton
            channel={{ id, name: item.subject.name ?? id, platform: item.subject.platform ?? '' }}
            isPrimary={isFirst}
            hasIcon={false}
          />
          <ButtonLink
            needs="PATCH /channels/{id}"
            look="quiet"
            to="/channels/$id"
            params={{ id }}
            search={{ credentials: '1' }}
          >
            {action.newToken}
          </ButtonLink>
        </>
      );
    case 'endpoint_disabled':
      return disabledBy === 'plan' ? (
        plan
      ) : (
        <CallButton {...{ item, look }} needs="POST /endpoints/{id}/enable" label={action.enable} />
      );
    case 'webhook_output_disabled':
      return disabledBy === 'plan' ? (
        plan
      ) : (
        <CallButton {...{ item, look }} needs="POST /webhook-outputs/{id}/enable" label={action.enableAndReplay} />
      );
    case 'approval_needed':
      return mayApprove && <ReviewButton postId={subject.post_id ?? id} look={look} />;
    case 'quota_exhausted':
      return plan;
    case 'projection_stopped':
      return (
        <ButtonLink look={look} to="/projections">
          {action.view}
        </ButtonLink>
      );
    default:
      return null;
  }
};

/** A button that opens a post's previews and asks whether to publish it. */
const ReviewButton = ({ postId, look }: { readonly postId: string; readonly look: 'primary' | 'plain' }) => {
  const { action } = m;
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <Button look={look} onClick={() => setIsOpen(true)}>
        {action.review}
      </Button>
      {isOpen && (
        <Suspense>
          <ReviewDialog postId={postId} onClose={() => setIsOpen(false)} />
        </Suspense>
      )}
    </>
  );
};

/** A button that asks what happens to everything that a restore holds. */
const SettleButton = ({ look }: { readonly look: 'primary' | 'plain' }) => {
  const { action } = m;
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <Button needs="POST /recovery/confirm" look={look} onClick={() => setIsOpen(true)}>
        {action.settle}
      </Button>
      {isOpen && (
        <Suspense>
          <RecoveryDialog onClose={() => setIsOpen(false)} />
        </Suspense>
      )}
    </>
  );
};

interface CallButtonProps {
  readonly item: Attention;
  readonly look: 'primary' | 'plain';
  readonly label: string;
  readonly needs: Route;
}

/** A button that calls the gateway without asking for confirmation. */
const CallButton = ({ item, look, label, needs }: CallButtonProps) => {
  const call = useAttentionCalls();
  const { save: run, isBusy } = useSave(async () => {
    await call(item);
  });
  return (
    <Button needs={needs} look={look} busy={isBusy} onClick={run}>
      {label}
    </Button>
  );
};

const LOOKS: Readonly<Record<string, { readonly name: IconName; readonly tone: Tone }>> = {
  withdraw_failed: { name: 'failed', tone: 'fail' },
  restored: { name: 'inDoubt', tone: 'doubt' },
  in_doubt: { name: 'inDoubt', tone: 'doubt' },
  published_twice: { name: 'published', tone: 'warn' },
  channel_needs_attention: { name: 'onHold', tone: 'warn' },
  endpoint_disabled: { name: 'switchedOff', tone: 'warn' },
  quota_exhausted: { name: 'onHold', tone: 'warn' },
  publication_failed: { name: 'failed', tone: 'fail' },
  edit_failed: { name: 'failed', tone: 'warn' },
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
  const isForYou = useIsForYou();
  const items = isOfAll ? putGatewayFirst(overview.attention) : overview.attention;
  if (items.length === 0) return null;
  const rest = items.length - SHOWN;
  const first = items.find(isForYou);
  return (
    <section className="card attention" aria-label={m.title}>
      <ul>
        {items.slice(0, isAll ? undefined : SHOWN).map((item) => (
          <AttentionRow key={item.code} item={item} isFirst={item === first} isOfAll={isOfAll} />
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

/** Names who may approve a post, if others than this person; null without a post, and if unknown. */
const useApproversOf = (postId: string | null): string | null => {
  const nameOf = useApprovers(postId !== null);
  const post = useQuery({
    queryKey: ['post', postId],
    queryFn: () => management().get('/posts/{id}', { path: { id: postId ?? '' } }),
    enabled: postId !== null,
  }).data;
  return post ? nameOf(post.endpoint_id) : null;
};

interface AttentionRowProps {
  readonly item: Attention;
  readonly isFirst: boolean;
  readonly isOfAll: boolean;
}

const AttentionRow = ({ item, isFirst, isOfAll }: AttentionRowProps) => {
  const isForYou = useIsForYou()(item);
  const mayApprove = useMay('POST /posts/{id}/approve');
  const postId = item.subject.post_id;
  const approvers = useApproversOf(isForYou ? null : postId);
  const { title, details, reason } = describeAttention(item, { m, format, isOfAll, mayApprove, approvers });
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
        {!isForYou && item.count === 1 && postId !== null && (
          <Link className="link tertiary" to="/posts/$id" params={{ id: postId }}>
            {m.action.view}
          </Link>
        )}
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
