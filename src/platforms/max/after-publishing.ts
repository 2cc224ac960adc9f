import type { Json, JsonObject } from '../../kernel/ids.js';
import {
  cannotEdit,
  CHANGED,
  matchMedia,
  settleByLookUp,
  toDeleteOutcome,
  toEditOutcome,
} from '../after-publishing.js';
import type { NetworkConnection } from '../channel-check.js';
import { resolveReferences } from '../media.js';
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
  Rendering,
  SendContext,
  StepOutcome,
} from '../publisher.js';
import { callMax, classify, isToken, type MaxCall } from './call.js';
import { MAX_CHANGE_ERRORS, MAX_EDIT_ERRORS, MAX_ERRORS, MAX_PIN_ERRORS } from './errors.js';
import { TITLE } from './limits.js';
import { MAX_MESSAGES } from './messages.js';
import { audioStepName, LATE_LINKS, MESSAGE, renderMax, uploadStepName } from './render.js';
import { malformedToken, sendStep } from './send.js';

const deleteErrors = new ErrorTable('max', TITLE, [...MAX_CHANGE_ERRORS, ...MAX_ERRORS]);
const editErrors = new ErrorTable('max', TITLE, [...MAX_EDIT_ERRORS, ...MAX_ERRORS]);
const pinErrors = new ErrorTable('max', TITLE, [...MAX_PIN_ERRORS, ...MAX_ERRORS]);

/** Deletes a message. */
export const deleteMessage = async (
  connection: NetworkConnection,
  { id }: PublishedMessage,
  context: DeleteContext,
): Promise<DeleteOutcome> => {
  const call = { method: 'DELETE', path: '/messages', query: { message_id: id } } as const;
  const outcome = await changeMessage(connection, context, call, deleteErrors);
  if (outcome === null) return { kind: 'deleted' };
  return settle(connection, context, id, toDeleteOutcome(outcome, TITLE, 'max'));
};

/** Runs a step of an edit: uploads a new medium, or changes a message. */
export const editMessage = async (
  connection: NetworkConnection,
  step: EditStep,
  context: SendContext,
): Promise<EditOutcome> => {
  const { messageId } = step;
  if (messageId === null) return toEditOutcome(await sendStep(connection, step, context), 'edit', TITLE, 'max');
  const { message_id: _, ...body } = resolveReferences(step.request, context.results);
  const call = { method: 'PUT', path: '/messages', query: { message_id: messageId }, body } as const;
  const outcome = await changeMessage(connection, context, call, editErrors);
  if (outcome === null) return CHANGED;
  return settle(connection, context, messageId, toEditOutcome(outcome, 'edit', TITLE, 'max'));
};

/** Pins a message without a notification: the post itself has notified already. */
export const pinMessage = async (
  connection: NetworkConnection,
  { id }: PublishedMessage,
  context: DeleteContext,
): Promise<EditOutcome> => {
  const path = `/chats/${encodeURIComponent(context.channel.address['chat_id'] ?? '')}/pin`;
  const call = { method: 'PUT', path, query: {}, body: { message_id: id, notify: false } } as const;
  const outcome = await changeMessage(connection, context, call, pinErrors);
  return outcome === null ? CHANGED : toEditOutcome(outcome, 'pin', TITLE, 'max');
};

type ChangeContext = Pick<SendContext, 'credentials' | 'signal' | 'holdsLease'> & Partial<Pick<SendContext, 'waits'>>;

/** Makes a call that changes a message; returns null if MAX did it, otherwise the outcome. */
const changeMessage = async (
  connection: NetworkConnection,
  { credentials, waits = {}, signal, holdsLease }: ChangeContext,
  call: Pick<MaxCall, 'method' | 'path' | 'query' | 'body'>,
  table: ErrorTable,
): Promise<StepOutcome | null> => {
  const token = credentials['access_token'] ?? '';
  if (!isToken(token)) return malformedToken;
  const answer = await callMax(connection, { ...call, token, signal, holdsLease });
  const refused = { visible: false, waits, credentials, countUnknown: connection.countUnknown };
  if (answer.kind !== 'answered') return classify(answer, refused, table);
  if ((answer.body as { readonly success?: unknown }).success === true) return null;
  return classify({ kind: 'unreadable', status: answer.status, retryAfter: undefined }, refused);
};

/** If MAX refuses for a reason that does not name the message, asks whether it is there. */
const settle = <Outcome extends DeleteOutcome | EditOutcome>(
  connection: NetworkConnection,
  { credentials, signal, holdsLease }: ChangeContext,
  id: string,
  outcome: Outcome,
): Promise<Outcome | Exclude<EditOutcome, { kind: 'done' }>> | Outcome => {
  if (outcome.kind !== 'refused' || outcome.error.code !== 'refused') return outcome;
  return settleByLookUp<Outcome>(outcome, async () => {
    const token = credentials['access_token'] ?? '';
    const path = `/messages/${encodeURIComponent(id)}`;
    const found = await callMax(connection, { method: 'GET', path, query: {}, token, signal, holdsLease });
    if (found.kind === 'answered') return true;
    const isMissing = found.kind === 'refused' && found.status === 404 && found.code !== 'chat.not.found';
    const refused = { visible: false, waits: {}, credentials, countUnknown: connection.countUnknown };
    return isMissing ? false : classify(found, refused);
  });
};

/** A bot deletes its own messages at any age. */
export const canDeleteMessage = (): DeleteForecast => ({ withdraw: true, until: null, text: null });

/**
 * Plans the calls that change a post in a MAX chat: the uploads of new media, then one call for each message that
 * differs (networks.md §10). A post has one message with text, photos, videos and buttons, and one for each audio file.
 */
export const renderEdit = (
  published: PublishedPost,
  post: PlatformPost,
  channel: PlatformChannel,
  uploaded: SendContext['results'] = {},
): EditRendering | EditRefusal => {
  const was = renderMax(published.post, channel, published.results);
  const before = messagesOf(was, published.results);
  const ids = idsOf(was, published);
  if (before.length !== published.messageIds.length || ids.length !== before.length)
    return cannotEdit('refused', EDIT_MESSAGES.messagesUnknown({ network: TITLE }));
  const kept = keepMedia(published, was, post);
  const fresh = post.media.map((_, index) => uploadStepName(index)).filter((name) => !(name in kept));
  const isReordered = ids.some((id, i) => id !== published.messageIds[i]);
  const resultsAfter = {
    ...(isReordered && { [ORDER]: { ids } }),
    ...kept,
    ...Object.fromEntries(Object.entries(uploaded).filter(([name]) => fresh.includes(name))),
  };
  const rendered = renderMax(post, channel, resultsAfter);
  const now = messagesOf(rendered, kept);
  const refusal = refuse(before, now);
  if (refusal) return refusal;

  const changes = now.flatMap((message, i) => changeStep(ids[i]!, before[i]!, message) ?? []);
  const uploads = rendered.steps
    .filter(({ name, visible }) => !visible && fresh.includes(name))
    .map((step) => ({ ...step, messageId: null }));
  const { warnings, textAfterTrim, trimmedChars } = rendered;
  return { steps: [...uploads, ...changes], warnings: ofEdit(warnings), textAfterTrim, trimmedChars, resultsAfter };
};

/** Forecast of what {@link renderEdit} allows: audio alone has no message with a text. */
export const canEdit = (post: PlatformPost, channel: PlatformChannel): EditForecast => {
  const messages = messagesOf(renderMax(post, channel), {});
  return messages.some(isMain)
    ? { edit: ['text', 'buttons', 'media'], text: null }
    : { edit: ['media'], text: MAX_MESSAGES.audioAlone };
};

/** The text comes first, unless MAX refused all audio messages before it. */
export const messageToPin = (published: PublishedPost, channel: PlatformChannel): string | undefined =>
  idsOf(renderMax(published.post, channel, published.results), published)[0] ?? published.messageIds[0];

/** Name under which {@link EditRendering.resultsAfter} keeps the ids in the order of the rendering. */
const ORDER = 'order';

/**
 * Returns the ids of the messages in the order of the rendering. It is not that of publication if the text was sent
 * later, with the links of audio files that MAX refused.
 */
const idsOf = ({ steps }: Rendering, { results, messageIds }: PublishedPost): readonly string[] => {
  const stored = results[ORDER]?.['ids'];
  if (stored !== undefined) return stored as unknown as readonly string[];
  const sent = steps.filter(({ visible }) => visible).map(({ name }) => results[name]?.['mid']);
  const left = messageIds.filter((id) => !sent.includes(id));
  return sent.flatMap((mid) => (typeof mid === 'string' && mid !== '' ? mid : (left.shift() ?? [])));
};

/** What a message shows. */
interface Shown {
  readonly isAudio: boolean;
  /** True for a message with the links of audio files that MAX refused after the text. */
  readonly isLate: boolean;
  readonly text: string;
  readonly format: Json | undefined;
  /** References only to what is still to be uploaded. */
  readonly attachments: readonly JsonObject[];
}

/** Returns what the messages of a rendered post show. @param results of the uploads whose payloads are known */
const messagesOf = ({ steps }: Rendering, results: SendContext['results']): readonly Shown[] =>
  steps
    .filter(({ visible }) => visible)
    .map(({ name, request }) => ({
      isAudio: name.startsWith(audioStepName('')),
      isLate: name === LATE_LINKS,
      text: (request['text'] as string | undefined) ?? '',
      format: request['format'],
      attachments: ((request['attachments'] ?? []) as readonly JsonObject[]).map((attachment) => {
        const { $from } = attachment['payload'] as { readonly $from?: string };
        const payload = $from === undefined ? undefined : results[$from.replace(/\.payload$/, '')]?.['payload'];
        return payload === undefined ? attachment : { ...attachment, payload };
      }),
    }));

/**
 * Returns the results of the media that stay, under the names of their new places. What MAX refused stays a link: in the
 * message after the text, or in the text.
 */
const keepMedia = (
  { post, results }: PublishedPost,
  { steps }: Rendering,
  { media }: PlatformPost,
): SendContext['results'] => {
  const late = ((steps.find(({ name }) => name === LATE_LINKS)?.request['text'] as string | undefined) ?? '').split(
    '\n',
  );
  const kept: Record<string, JsonObject> = {};
  for (const [to, from] of matchMedia(post.media, media).entries()) {
    if (from === null) continue;
    const isAudio = post.media[from]?.type === 'audio';
    const refused = results[isAudio ? audioStepName(from) : MESSAGE]?.['refused'];
    const known = results[uploadStepName(from)];
    if (typeof refused !== 'string') {
      if (known) kept[uploadStepName(to)] = known;
    } else if (isAudio && late.includes(post.media[from]!.url)) {
      kept[uploadStepName(to)] = known ?? {};
      kept[audioStepName(to)] = { refused };
      kept[MESSAGE] = { mid: '' };
    } else kept[uploadStepName(to)] = { link: refused };
  }
  return kept;
};

/** Returns the first reason why the messages cannot hold the content: of its text, its buttons, its media. */
const refuse = (before: readonly Shown[], now: readonly Shown[]): EditRefusal | null => {
  if (now.length === 0) return cannotEdit('nothing_left', EDIT_MESSAGES.nothingLeft({ network: TITLE }));
  const [main, held] = [now.find(isMain), before.find(isMain)];
  if (main && !held && main.text !== '') return cannotEdit('text_added', MAX_MESSAGES.audioAlone);
  if (held && !main && held.text !== '')
    return cannotEdit('text_removed', EDIT_MESSAGES.textRemoved({ network: TITLE }));
  const audios = { published: before.filter(isAudio).length, wanted: now.filter(isAudio).length };
  if (audios.published !== audios.wanted) return cannotEdit('media_count', MAX_MESSAGES.audioCount(audios));
  const media = { network: TITLE, published: countMedia(before), wanted: countMedia(now) };
  return before.length === now.length && before.every(({ isLate }, i) => isLate === now[i]!.isLate)
    ? null
    : cannotEdit('media_count', EDIT_MESSAGES.mediaCount(media));
};

const isMain = (message: Shown): boolean => !message.isAudio && !message.isLate;
const isAudio = (message: Shown): boolean => message.isAudio;
const isMedium = ({ type }: JsonObject): boolean => type !== 'inline_keyboard';
const countMedia = (messages: readonly Shown[]): number =>
  messages.flatMap(({ attachments }) => attachments).filter(isMedium).length;

/** Returns the call that makes a message show something else; null if nothing differs. */
const changeStep = (messageId: string, before: Shown, now: Shown): EditStep | null => {
  const isTextSame = before.text === now.text && before.format === now.format;
  const areAttachmentsSame = JSON.stringify(before.attachments) === JSON.stringify(now.attachments);
  if (isTextSame && areAttachmentsSame) return null;
  return {
    name: `edit-${messageId}`,
    visible: true,
    method: 'PUT /messages',
    request: {
      message_id: messageId,
      ...((now.text !== '' || before.text !== '') && { text: now.text }),
      ...(now.format !== undefined && { format: now.format }),
      // Null keeps them.
      attachments: areAttachmentsSame ? null : now.attachments,
    },
    messageId,
  };
};

/** An edit has no notification and no pin. */
const ofEdit = (warnings: Rendering['warnings']): Rendering['warnings'] =>
  warnings.filter(({ code }) => code !== 'silent_ignored');
