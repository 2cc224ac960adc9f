import type { Attention } from '../../api/overview.js';
import { networkInText } from '../../components/networks.js';
import { type Format, type Sentence, sentence } from '../../i18n/format.js';
import type { AttentionMessages } from './messages.js';

/** The description of an item that needs attention. */
export interface AttentionText {
  readonly title: Sentence;
  readonly details: readonly Sentence[];
  /** The gateway's message, if it adds to the details. */
  readonly reason: string | null;
}

/** Messages and formats in the current language. */
export interface AttentionContext {
  readonly m: AttentionMessages;
  readonly format: Format;
  /** True if all owners' items are shown. The text then names the owner and counts the items of each type. */
  readonly isOfAll: boolean;
  /** True if this person may approve posts. */
  readonly mayApprove: boolean;
  /** Who else may approve the post that the item names; null if unknown. */
  readonly approvers: string | null;
}

type ChannelTrouble = keyof AttentionMessages['channel'];

const TROUBLES: Readonly<Record<string, ChannelTrouble>> = {
  forbidden: 'right',
  no_right_to_post: 'right',
  access_denied: 'right',
  group_access_denied: 'right',
  posting_denied: 'right',
  not_a_member: 'right',
  payment_required: 'right',
  group_restricted: 'right',
  privacy_restricted: 'right',
  uploads_denied: 'right',
  unauthorized: 'token',
  bot_not_found: 'token',
  malformed_token: 'token',
  token_expired: 'token',
  token_revoked: 'token',
  not_permitted: 'token',
  bad_signature: 'token',
  unknown_application: 'token',
  wrong_kind_of_token: 'token',
  credentials_missing: 'credentials',
  credentials_unreadable: 'credentials',
  access_token_missing: 'credentials',
  upload_token_missing: 'credentials',
  chat_not_found: 'chat',
  chat_unusable: 'chat',
  topic_closed: 'chat',
  account_gone: 'account',
  account_blocked: 'account',
  application_blocked: 'account',
  banned: 'account',
  account_frozen: 'account',
  account_not_activated: 'account',
  bot_suspended: 'account',
  captcha_needed: 'confirmation',
  validation_needed: 'confirmation',
};

/** Describes something that needs attention, in the current language. */
export const describeAttention = (attention: Attention, context: AttentionContext): AttentionText => {
  const { m, format, isOfAll } = context;
  const first = describeFirst(attention, context);
  const many = m.many[attention.code as keyof AttentionMessages['many']];
  if (!isOfAll) return first;
  const owner = attention.subject.owner_name;
  const named = owner === null ? first.title : prefix(m.ofOwner, { owner: { name: owner } }, first.title);
  if (attention.count === 1 || !many) return { ...first, title: named };
  const title = sentence(many(attention.count, format.number(attention.count)));
  return { title, details: [named], reason: null };
};

const prefix = (text: string, values: Sentence['values'], of: Sentence): Sentence =>
  sentence(text + of.text, { ...of.values, ...values });

const describeFirst = (attention: Attention, { m, format, mayApprove, approvers }: AttentionContext): AttentionText => {
  const { subject } = attention;
  const network = subject.platform === null ? '' : networkInText(subject.platform);
  const name = { name: subject.name ?? subject.id ?? '' };
  const values = {
    network,
    name,
    excerpt: { name: subject.excerpt ?? m.noText },
    channel: { name: subject.channel_name ?? subject.name ?? '' },
  };
  const says =
    subject.platform_says === null ? [] : [sentence(m.says, { network, says: { name: subject.platform_says } })];
  const describe = (title: string, details: readonly Sentence[], reason: string | null = null): AttentionText => ({
    title: sentence(title, values),
    details,
    reason,
  });
  switch (attention.code) {
    case 'restored':
      return describe(m.restored, [sentence(m.restoredText(attention.count, format.number(attention.count)))]);
    case 'in_doubt':
      return describe(m.inDoubt, [sentence(m.inDoubtText, values)]);
    case 'withdraw_failed':
      return describe(m.notWithdrawn, [sentence(m.notWithdrawnText, values), ...says], subject.message);
    case 'edit_failed':
      // The network's reason, if there is one, says what helps.
      return describe(
        m.notEdited,
        [sentence(subject.message === null ? m.notEditedText : m.ofChannel, values), ...says],
        subject.message,
      );
    case 'published_twice':
      return describe(m.twice, [sentence(m.twiceText, values)]);
    case 'channel_needs_attention': {
      const trouble = TROUBLES[subject.code ?? ''] ?? 'other';
      const waiting = subject.waiting ?? 0;
      const kept = waiting > 0 ? [sentence(m.keepOrder(waiting, format.number(waiting)))] : [];
      return describe(m.channel[trouble], [...kept, ...(trouble === 'other' ? says : [])], subject.message);
    }
    case 'endpoint_disabled': {
      const by =
        subject.disabled_by === 'rate_limits' || subject.disabled_by === 'plan' ? subject.disabled_by : 'other';
      return describe(m.endpoint[by], [sentence(m.endpointText)], by === 'other' ? subject.message : null);
    }
    case 'quota_exhausted':
      return describe(m.quota, [sentence(m.quotaText, { until: { at: subject.resets_at ?? '' } })]);
    case 'publication_failed':
      return describe(m.failed, [sentence(m.failedText, values), ...says], subject.message);
    case 'webhook_output_disabled': {
      const by = subject.disabled_by as keyof AttentionMessages['output'];
      return describe(m.output[by] ?? m.output.other, [sentence(m.outputText)]);
    }
    case 'approval_needed':
      return describe(mayApprove ? m.approval : m.othersApprove, [
        ...(subject.name === null ? [] : [sentence(m.approvalThrough, values)]),
        mayApprove
          ? sentence(m.approvalText)
          : approvers === null
            ? sentence(m.othersApproveText)
            : sentence(m.approversText, { who: { name: approvers } }),
      ]);
    case 'projection_stopped': {
      const position = subject.position === null ? '' : format.number(Number(subject.position));
      const stop = { ...values, position, type: { name: subject.event_type ?? '' } };
      const details = [sentence(m.projectionText, { since: { at: attention.since } })];
      return { title: sentence(m.projection, stop), details, reason: subject.message };
    }
    case 'store_unavailable':
      return describe(m.store, [sentence(m.storeText)], subject.message);
    default: // a type that this version of the console does not know
      return { title: sentence('{text}', { text: { name: attention.text } }), details: [], reason: null };
  }
};
