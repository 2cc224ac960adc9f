import { Link, type LinkProps } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import type { Attention } from '../../api/overview.js';
import { RetryButton } from '../../channels/retry-button.js';
import { Button, ButtonLink } from '../../components/button.js';
import { format } from '../../i18n/format.js';
import { attentionMessages as m } from './attention-messages.js';
import { useAttentionCalls } from './use-attention-calls.js';
import { useSave } from '../../components/form.js';

/** Loaded on demand to keep the first download small. */
const ReviewDialog = lazy(async () => ({ default: (await import('../../planning/review-dialog.js')).ReviewDialog }));

const RecoveryDialog = lazy(async () => ({ default: (await import('./recovery-dialog.js')).RecoveryDialog }));

/** Screens that list all items of a type, by attention code. */
const LISTS: Readonly<Record<string, Pick<LinkProps, 'to' | 'search'>>> = {
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

/** The buttons that resolve an item, main action first. */
export const AttentionActions = ({
  item,
  isFirst,
  isOfMany,
}: {
  readonly item: Attention;
  readonly isFirst: boolean;
  /** True if the sentence covers all items of that type, not just the first. */
  readonly isOfMany: boolean;
}) => {
  const { action } = m;
  const look = isFirst ? 'primary' : 'plain';
  const { subject } = item;
  const { id, publication_id: publicationId, disabled_by: disabledBy } = subject;
  if (item.code === 'restored') return <SettleButton look={look} />;
  const list = LISTS[item.code];
  // No list shows only duplicates: they are resolved one after another.
  if ((isOfMany && item.code !== 'published_twice') || id === null)
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
    case 'in_doubt':
    case 'published_twice':
    case 'publication_failed':
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
          <ButtonLink look="quiet" to="/channels/$id" params={{ id }} search={{ credentials: '1' }}>
            {action.newToken}
          </ButtonLink>
        </>
      );
    case 'endpoint_disabled':
      return disabledBy === 'plan' ? plan : <CallButton item={item} look={look} label={action.enable} />;
    case 'webhook_output_disabled':
      return disabledBy === 'plan' ? plan : <CallButton item={item} look={look} label={action.enableAndReplay} />;
    case 'approval_needed':
      return <ReviewButton postId={subject.post_id ?? id} look={look} />;
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
      <Button look={look} onClick={() => setIsOpen(true)}>
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

/** A button that calls the gateway without asking for confirmation. */
const CallButton = ({
  item,
  look,
  label,
}: {
  readonly item: Attention;
  readonly look: 'primary' | 'plain';
  readonly label: string;
}) => {
  const call = useAttentionCalls();
  const { save: run, isBusy } = useSave(async () => {
    await call(item);
  });
  return (
    <Button look={look} busy={isBusy} onClick={run}>
      {label}
    </Button>
  );
};
