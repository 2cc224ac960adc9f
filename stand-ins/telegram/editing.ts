import type { LedgerContent, LedgerEntry } from '../kit/ledger-entry.js';
import { findMessage } from './deleting.js';
import { countCodePoints, parseEntities, prepareText } from './formatted-text.js';
import { checkKeyboard, MAX_TEXT } from './keyboard.js';
import { messageJson } from './message.js';
import { badRequest, type Parameters } from './parameters.js';
import {
  type Caller,
  NO_FACTS,
  parseItem,
  type PostingContext,
  prepareCaption,
  readKeyboard,
  rejectParseMode,
} from './posting.js';

/** Returns what a message shows after an edit. */
type Edit = (now: LedgerEntry) => Promise<Partial<LedgerContent>>;

/** Handles `editMessageText`. */
export const editMessageText = (posting: PostingContext, parameters: Parameters, caller: Caller): Promise<object> =>
  editMessage(posting, parameters, caller, async ({ media }) => {
    const text = parameters.text('text');
    if (text === '') throw badRequest('message text is empty');
    if (media.length > 0) throw badRequest('there is no text in the message to edit');
    const content = prepareText(text, parseEntities(parameters.json('entities')), false);
    if (countCodePoints(content.text) > MAX_TEXT) throw badRequest('MESSAGE_TOO_LONG');
    return content;
  });

/** Handles `editMessageCaption`; without a caption, it removes the caption. */
export const editMessageCaption = (posting: PostingContext, parameters: Parameters, caller: Caller): Promise<object> =>
  editMessage(posting, parameters, caller, async ({ media }) => {
    if (media.length === 0) throw badRequest('there is no caption in the message to edit');
    return prepareCaption(parameters.text('caption'), parseEntities(parameters.json('caption_entities')));
  });

/** Handles `editMessageMedia`: the medium and its caption. In an album, only some kinds replace each other. */
export const editMessageMedia = (posting: PostingContext, parameters: Parameters, caller: Caller): Promise<object> =>
  editMessage(posting, parameters, caller, async ({ media: [medium], group_id }) => {
    if (!parameters.has('media')) throw badRequest('Parameter "media" is required');
    const { content, sentMedium } = await parseItem(parameters.json('media'), parameters, posting.media);
    if (!medium) throw badRequest('there is no media in the message to edit');
    const { type } = sentMedium.medium;
    if (group_id !== null && type !== medium.type && !(isVisual(type) && isVisual(medium.type)))
      throw badRequest("can't change media type in the album");
    return { ...content, media: [sentMedium.medium] };
  });

const isVisual = (type: string): boolean => type === 'photo' || type === 'video';

/** Bots edit only their own messages, at any age. An edit without buttons removes them. */
const editMessage = async (
  posting: PostingContext,
  parameters: Parameters,
  { botId, callId }: Caller,
  edit: Edit,
): Promise<object> => {
  rejectParseMode(parameters);
  const buttons = checkKeyboard(readKeyboard(parameters));
  const { chat, id, message, isOwn } = findMessage(posting, parameters, botId, 'edit');
  if (!isOwn || !chat.mayEdit) throw badRequest("message can't be edited");
  const entry = await posting.ledger.find(message.seq);
  if (!entry) throw badRequest('message to edit not found');
  const before = posting.changes.current(entry);
  // The real server ignores these buttons silently. A publisher that sends them has a bug.
  if (before.group_id !== null && buttons.length > 0) throw badRequest('an album does not accept reply_markup');
  const after = { ...before, ...(await edit(before)), buttons };
  if (shownBy(after) === shownBy(before))
    throw badRequest(
      'message is not modified: specified new message content and reply markup are exactly the same as a current content and reply markup of the message',
    );
  posting.limits.countMessages(botId, chat.key, 1, Date.now());
  await posting.changes.edit({ channel: chat.key, message_id: id, call_id: callId }, after);
  const editDate = Math.floor(Date.now() / 1_000);
  return { ...messageJson(after, chat, NO_FACTS), edit_date: editDate };
};

const shownBy = ({ text, entities, buttons, media }: LedgerContent): string =>
  JSON.stringify([text, entities, buttons, media.map(({ type, hash, url }) => [type, hash, url])]);
