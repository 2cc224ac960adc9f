import type { Instant } from '../../kernel/clock.js';
import type { JsonObject } from '../../kernel/ids.js';
import type { LocatedMedium } from '../../payload/payload.js';
import { sourceOf } from '../../payload/uploads.js';
import { cannotEdit, CHANGED, matchMedia, refusedChange, toDeleteOutcome, toEditOutcome } from '../after-publishing.js';
import type { NetworkConnection } from '../channel-check.js';
import { EDIT_MESSAGES } from '../messages.js';
import { ErrorTable } from '../outcomes.js';
import type {
  DeleteContext,
  DeleteForecast,
  DeleteOutcome,
  EditForecast,
  EditOutcome,
  EditRefusal,
  EditRendering,
  EditStep,
  PlatformChannel,
  PlatformPost,
  PublishedMessage,
  PublishedPost,
  SendContext,
  StepOutcome,
} from '../publisher.js';
import { callMethod, classify } from './call.js';
import { TELEGRAM_CHANGE_ERRORS, TELEGRAM_EDIT_ERRORS, TELEGRAM_PIN_ERRORS } from './change-errors.js';
import { TELEGRAM_ERRORS } from './errors.js';
import {
  FETCH,
  type FetchedMedium,
  fetchMedia,
  fetchStep,
  type MediaPlan,
  parseAttachment,
  type PlannedItem,
} from './files.js';
import { TELEGRAM_LIMITS, TITLE } from './limits.js';
import { TELEGRAM_MESSAGES } from './messages.js';
import {
  type InlineKeyboard,
  isOneMessage,
  keyboardFields,
  prepare,
  type Prepared,
  type RenderedText,
  renderMessageText,
  renderText,
  videoFields,
} from './render.js';
import { callWithFiles, isBotToken, malformedToken } from './send.js';

const errors = new ErrorTable('telegram', TITLE, [...TELEGRAM_CHANGE_ERRORS, ...TELEGRAM_ERRORS]);
const editErrors = new ErrorTable('telegram', TITLE, [...TELEGRAM_EDIT_ERRORS, ...TELEGRAM_ERRORS]);
const pinErrors = new ErrorTable('telegram', TITLE, [...TELEGRAM_PIN_ERRORS, ...TELEGRAM_ERRORS]);

/** Bots delete nothing older, whatever their rights. */
const DELETABLE_MINUTES = 48 * 60;

/** Deletes a message. Telegram refuses old messages and those of others in the same words, so the age decides. */
export const deleteMessage = async (
  connection: NetworkConnection,
  { id, at }: PublishedMessage,
  { credentials, channel, signal, holdsLease, now, minuteMs }: DeleteContext,
): Promise<DeleteOutcome> => {
  const token = credentials['bot_token'] ?? '';
  if (!isBotToken(token)) return malformedToken;
  const parameters = { chat_id: channel.address['chat_id'] ?? '', message_id: Number(id) };
  const answer = await callMethod(connection, { token, method: 'deleteMessage', parameters }, { signal, holdsLease });
  if (answer.ok && answer.result === true) return { kind: 'deleted' };
  const outcome = toDeleteOutcome(classifyAnswer(answer, connection, credentials, errors), TITLE, 'telegram');
  const isTooOld = now - at >= DELETABLE_MINUTES * minuteMs;
  return outcome.kind === 'refused' && outcome.error.code === 'no_right_to_delete' && isTooOld
    ? refusedChange('too_old', { ...outcome.error, message: TELEGRAM_MESSAGES.tooOld })
    : outcome;
};

/** Classifies the answer to a call that only says true; any other result proves nothing. */
const classifyAnswer = (
  answer: Awaited<ReturnType<typeof callMethod>>,
  { countUnknown }: NetworkConnection,
  credentials: DeleteContext['credentials'],
  table: ErrorTable,
): StepOutcome => {
  const failure = answer.ok ? ({ kind: 'unreadable', status: 200, retryAfter: undefined } as const) : answer.failure;
  return classify(failure, { visible: false, waits: {}, credentials, countUnknown }, table);
};

/** Runs a step of an edit: downloads the new media, or changes a message. */
export const editMessage = async (
  connection: NetworkConnection,
  step: EditStep,
  context: SendContext,
): Promise<EditOutcome> => {
  if (!isBotToken(context.credentials['bot_token'] ?? '')) return malformedToken;
  if (step.messageId === null) return toEditOutcome(await fetchMedia(step, context), 'edit', TITLE, 'telegram');
  const request = { ...step.request, chat_id: context.channel.address['chat_id'] ?? step.request['chat_id'] ?? '' };
  const call = { ...context, visible: false, countUnknown: connection.countUnknown };
  const outcome = await callWithFiles(connection, step.method, request, context, call, editErrors);
  return outcome.kind === 'done' ? CHANGED : toEditOutcome(outcome, 'edit', TITLE, 'telegram');
};

/** Pins a message without a notification: the post itself has notified already. */
export const pinMessage = async (
  connection: NetworkConnection,
  { id }: PublishedMessage,
  { credentials, channel, signal, holdsLease }: DeleteContext,
): Promise<EditOutcome> => {
  const token = credentials['bot_token'] ?? '';
  if (!isBotToken(token)) return malformedToken;
  const parameters = {
    chat_id: channel.address['chat_id'] ?? '',
    message_id: Number(id),
    disable_notification: true,
  };
  const answer = await callMethod(connection, { token, method: 'pinChatMessage', parameters }, { signal, holdsLease });
  if (answer.ok && answer.result === true) return CHANGED;
  return toEditOutcome(classifyAnswer(answer, connection, credentials, pinErrors), 'pin', TITLE, 'telegram');
};

export const canDeleteMessage = (
  _channel: PlatformChannel,
  publishedAt: Instant | null,
  now: Instant,
  minuteMs: number,
): DeleteForecast => {
  if (publishedAt === null) return { withdraw: true, until: null, text: null };
  const until = publishedAt + DELETABLE_MINUTES * minuteMs;
  return now < until
    ? { withdraw: true, until, text: null }
    : { withdraw: false, until, text: TELEGRAM_MESSAGES.tooOld };
};

/** The messages of a published post, which no edit changes: only what they hold. */
interface Layout {
  /** Messages with media, in order; of several items, an album. */
  readonly groups: readonly { readonly kind: MediaClass; readonly items: number }[];
  /** True if the text has a message of its own, after the media. */
  readonly hasText: boolean;
}

/** An item of an album is only replaced by one of its class. */
type MediaClass = 'visual' | 'audio' | 'document';
const classOf = ({ kind }: PlannedItem): MediaClass => (kind === 'photo' || kind === 'video' ? 'visual' : kind);

/** Name under which {@link EditRendering.resultsAfter} keeps the layout, which does not follow from the new content. */
const LAYOUT = 'layout';

/** What a message shows; `medium` is null in a message of text alone. */
interface Shown {
  readonly medium: (LocatedMedium & { readonly item: PlannedItem }) | null;
  readonly text: RenderedText;
  readonly keyboard: InlineKeyboard | null;
}

/** Plans the calls that change a published post, or says what its messages cannot hold (networks.md §10). */
export const renderEdit = (
  published: PublishedPost,
  post: PlatformPost,
  channel: PlatformChannel,
  uploaded: SendContext['results'] = {},
): EditRendering | EditRefusal => {
  const before = prepare(published.post, published.results);
  const layout = layoutOf(published, before);
  const kept = keepMedia(published, before.plan, post.media);
  const fetched = (uploaded[FETCH]?.['media'] ?? []) as unknown as readonly (FetchedMedium | null)[];
  const media = kept.map((medium, index) => medium ?? fetched[index] ?? null);
  const results: SendContext['results'] = media.length > 0 ? { [FETCH]: { media } } : {};
  const after = prepare(post, results);
  const shownBefore = fill(layout, before, published.post.media);
  if (shownBefore?.length !== published.messageIds.length)
    return cannotEdit('refused', EDIT_MESSAGES.messagesUnknown({ network: TITLE }));
  const refusal = refuse(layout, after, kept);
  if (refusal) return refusal;
  const shown = fill(layout, after, post.media);
  if (!shown) return cannotEdit('media_kind', TELEGRAM_MESSAGES.mediaKind);

  const chatId = channel.address['chat_id'] ?? '';
  const changes = shown.flatMap((now, i) => changeStep(chatId, published.messageIds[i]!, shownBefore[i]!, now) ?? []);
  const upload = kept.includes(null) ? [{ ...fetchStep(post.media, kept), messageId: null }] : [];
  const carrier = shown[carrierOf(layout)]!;
  return {
    steps: [...upload, ...changes],
    warnings: [...after.warnings, ...carrier.text.warnings],
    textAfterTrim: carrier.text.text,
    trimmedChars: after.trimmedChars,
    resultsAfter: { ...results, [LAYOUT]: layout as unknown as JsonObject },
  };
};

/** Forecast of what {@link renderEdit} allows. */
export const canEdit = (post: PlatformPost): EditForecast => {
  const { groups, hasText } = layoutOf({ results: {} }, prepare(post, {}));
  const takesButtons = hasText || groups[0]?.items === 1;
  const reasons = [
    ...(takesButtons ? [] : [TELEGRAM_MESSAGES.albumButtons]),
    ...(groups.length > 0 ? [] : [TELEGRAM_MESSAGES.mediaAdded]),
  ];
  return {
    edit: ['text', ...(takesButtons ? (['buttons'] as const) : []), ...(groups.length > 0 ? (['media'] as const) : [])],
    text: reasons.join(' ') || null,
  };
};

/** The text is in the last message if it has its own, otherwise under the first medium. */
export const messageToPin = (published: PublishedPost): string | undefined => {
  const { hasText } = layoutOf(published, prepare(published.post, published.results));
  return hasText ? published.messageIds.at(-1) : published.messageIds[0];
};

const layoutOf = ({ results }: Pick<PublishedPost, 'results'>, prepared: Prepared): Layout => {
  const stored = results[LAYOUT] as unknown as Layout | undefined;
  if (stored) return stored;
  const { content, keyboard, plan } = prepared;
  return {
    groups: plan.groups.map(({ items }) => ({ kind: classOf(items[0]!), items: items.length })),
    hasText: !isOneMessage(prepared) && (content.text !== '' || keyboard !== null),
  };
};

/** Index of the message that holds text and buttons. */
const carrierOf = ({ groups, hasText }: Layout): number =>
  hasText ? groups.reduce((sum, { items }) => sum + items, 0) : 0;

/** Returns what is known about the media that stay; null for new ones. What Telegram refused stays a link. */
const keepMedia = (
  { post, results }: PublishedPost,
  plan: MediaPlan,
  wanted: readonly LocatedMedium[],
): readonly (FetchedMedium | null)[] => {
  const found = (results[FETCH]?.['media'] ?? []) as unknown as readonly (FetchedMedium | null)[];
  const sent = new Map(plan.groups.flatMap(({ items }) => items).map((item) => [indexOf(item), item]));
  return matchMedia(post.media, wanted).map((index): FetchedMedium | null => {
    if (index === null) return null;
    const item = sent.get(index);
    const medium = found[index] ?? null;
    if (item) return medium && 'kind' in medium ? medium : { kind: item.kind };
    return medium && 'link' in medium ? medium : { link: refusalOf(results) };
  });
};

/** Returns why Telegram refused media of a post. */
const refusalOf = (results: SendContext['results']): string => {
  const refused = Object.values(results).find((result) => typeof result['refused'] === 'string');
  return (refused?.['refused'] as string | undefined) ?? 'media_unsuitable';
};

const indexOf = ({ attachment }: PlannedItem): number => parseAttachment(attachment)?.index ?? -1;

/** Returns the first reason why the messages cannot hold the content: of its text, its buttons, its media. */
const refuse = (
  { groups, hasText }: Layout,
  { content, keyboard, plan }: Prepared,
  kept: readonly (FetchedMedium | null)[],
): EditRefusal | null => {
  const { length } = content.text;
  const wanted = countItems(plan);
  const held = groups.reduce((sum, { items }) => sum + items, 0);
  const { caption: limit } = TELEGRAM_LIMITS;
  if (length === 0 && !keyboard && wanted === 0)
    return cannotEdit('nothing_left', EDIT_MESSAGES.nothingLeft({ network: TITLE }));
  if (hasText && length === 0 && !keyboard)
    return cannotEdit('text_removed', EDIT_MESSAGES.textRemoved({ network: TITLE }));
  if (!hasText && length > limit)
    return cannotEdit('caption_too_long', TELEGRAM_MESSAGES.captionTooLong({ limit, excess: length - limit }));
  if (keyboard && !hasText && groups[0]?.items !== 1)
    return cannotEdit('album_buttons', TELEGRAM_MESSAGES.albumButtons);
  if (held === 0 && (wanted > 0 || kept.includes(null))) return cannotEdit('media_added', TELEGRAM_MESSAGES.mediaAdded);
  return held === wanted
    ? null
    : cannotEdit('media_count', EDIT_MESSAGES.mediaCount({ network: TITLE, published: held, wanted }));
};

const countItems = ({ groups }: MediaPlan): number => groups.reduce((sum, { items }) => sum + items.length, 0);

/** Distributes a post over the messages; null if its media are too few, too many, or not of the albums' classes. */
const fill = (layout: Layout, prepared: Prepared, media: readonly LocatedMedium[]): readonly Shown[] | null => {
  const { content, keyboard, plan } = prepared;
  const items = assign(layout, plan);
  if (!items) return null;
  const text = layout.hasText ? renderMessageText(content) : renderText(content);
  const shown = items.map((item): Shown => ({
    medium: { ...media[indexOf(item)]!, item },
    text: NO_TEXT,
    keyboard: null,
  }));
  if (layout.hasText) return [...shown, { medium: null, text, keyboard }];
  const [first, ...more] = shown;
  return first ? [{ ...first, text, keyboard }, ...more] : null;
};

const NO_TEXT: RenderedText = { text: '', entities: [], warnings: [] };

/** Albums take items of their class; a message of one medium takes any, but prefers its class. */
const assign = ({ groups }: Layout, plan: MediaPlan): readonly PlannedItem[] | null => {
  const left = plan.groups.flatMap(({ items }) => items);
  const take = (isWanted: (item: PlannedItem) => boolean): readonly PlannedItem[] => {
    const at = left.findIndex(isWanted);
    return at < 0 ? [] : left.splice(at, 1);
  };
  const taken = groups.map(({ kind, items }) =>
    Array.from({ length: items }, () => take((item) => classOf(item) === kind)).flat(),
  );
  const filled = groups.map(({ items }, i) => (items === 1 && taken[i]!.length === 0 ? take(() => true) : taken[i]!));
  return left.length === 0 && filled.every(({ length }, i) => length === groups[i]!.items) ? filled.flat() : null;
};

/** Returns the call that makes a message show something else; null if nothing differs. */
const changeStep = (chatId: string, messageId: string, before: Shown, now: Shown): EditStep | null => {
  const keyboard = keyboardFields(now.keyboard);
  const { text, entities } = now.text;
  const step = (method: string, request: JsonObject): EditStep => ({
    name: `edit-${messageId}`,
    visible: true,
    method,
    request: { chat_id: chatId, message_id: Number(messageId), ...request, ...keyboard },
    messageId,
  });
  const caption = { caption: text, ...(entities.length > 0 && { caption_entities: entities }) };
  const { medium } = now;
  if (medium && !isSameMedium(before.medium, medium)) {
    const { kind, attachment } = medium.item;
    return step('editMessageMedia', {
      media: { type: kind, media: attachment, ...videoFields(medium.item), ...caption },
    });
  }
  if (isSame(before, now)) return null;
  return medium
    ? step('editMessageCaption', caption)
    : step('editMessageText', { text, ...(entities.length > 0 && { entities }) });
};

const sourceOfAny = (medium: Shown['medium']): string | null => medium && sourceOf(medium);

const isSameMedium = (before: Shown['medium'], now: Shown['medium']): boolean =>
  before?.type === now?.type && sourceOfAny(before) === sourceOfAny(now) && before?.item.kind === now?.item.kind;

const isSame = (before: Shown, now: Shown): boolean => {
  const comparable = ({ text: { text, entities }, keyboard }: Shown): string =>
    JSON.stringify([text, entities, keyboard]);
  return comparable(before) === comparable(now);
};
