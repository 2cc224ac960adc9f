import type { Instant } from '../../kernel/clock.js';
import type { Json, JsonObject } from '../../kernel/ids.js';
import {
  cannotEdit,
  CHANGED,
  matchMedia,
  refusedChange,
  settleByLookUp,
  toDeleteOutcome,
  toEditOutcome,
} from '../after-publishing.js';
import type { NetworkConnection } from '../channel-check.js';
import { DEGRADATION_MESSAGES, EDIT_MESSAGES, OBSTACLE_MESSAGES } from '../messages.js';
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
import { callVk, classifyUnreadable } from './call.js';
import { VK_CHANGE_ERRORS, VK_EDIT_ERRORS, VK_PIN_ERRORS } from './change-errors.js';
import { VK_ERRORS } from './errors.js';
import { TITLE } from './limits.js';
import { VK_MESSAGES } from './messages.js';
import { renderVk, uploadStepName } from './render.js';
import { buildParameters, noToken, uploadMedium } from './send.js';

const TABLES = {
  delete: new ErrorTable('vk', TITLE, [...VK_CHANGE_ERRORS, ...VK_ERRORS]),
  edit: new ErrorTable('vk', TITLE, [...VK_EDIT_ERRORS, ...VK_ERRORS]),
  pin: new ErrorTable('vk', TITLE, [...VK_PIN_ERRORS, ...VK_ERRORS]),
};
type Change = keyof typeof TABLES;

/** What to do once a user's token is mended. */
const REMEDIES: Readonly<Record<Change, string>> = {
  delete: VK_MESSAGES.thenDelete,
  edit: VK_MESSAGES.thenEdit,
  pin: VK_MESSAGES.thenPin,
};

/** Refusals that VK also gives for posts that are not there. */
const UNCLEAR: ReadonlySet<number | undefined> = new Set([15, 100, 210]);

/** Deletes a post. */
export const deletePost = (
  connection: NetworkConnection,
  { id }: PublishedMessage,
  context: DeleteContext,
): Promise<DeleteOutcome> =>
  changePost<DeleteOutcome>(connection, context, {
    change: 'delete',
    method: 'wall.delete',
    parameters: { post_id: id },
    readDone: (response) => (response === 1 ? { kind: 'deleted' } : null),
    settle: (outcome) => toDeleteOutcome(outcome, TITLE, 'vk'),
  });

/** Pins a post, in place of the one that was pinned. */
export const pinPost = (
  connection: NetworkConnection,
  { id }: PublishedMessage,
  context: DeleteContext,
): Promise<EditOutcome> =>
  changePost<EditOutcome>(connection, context, {
    change: 'pin',
    method: 'wall.pin',
    parameters: { post_id: id },
    readDone: (response) => (response === 1 ? CHANGED : null),
    settle: (outcome) => toEditOutcome(outcome, 'pin', TITLE, 'vk'),
  });

/** Runs a step of an edit: uploads a new medium, or changes the post. */
export const editPost = async (
  connection: NetworkConnection,
  step: EditStep,
  context: SendContext,
): Promise<EditOutcome> => {
  if (step.messageId === null) return toEditOutcome(await uploadMedium(connection, step, context), 'edit', TITLE, 'vk');
  const { owner_id: _, ...parameters } = buildParameters(step, context);
  return changePost<EditOutcome>(connection, context, {
    change: 'edit',
    method: step.method,
    parameters,
    readDone: (response) =>
      Number.isSafeInteger((response as { readonly post_id?: unknown } | null)?.post_id) ? CHANGED : null,
    settle: (outcome) => toEditOutcome(outcome, 'edit', TITLE, 'vk'),
  });
};

interface PostChange<Outcome> {
  readonly change: Change;
  readonly method: string;
  readonly parameters: Readonly<Record<string, string>>;
  /** Returns null for a response that proves nothing. */
  readonly readDone: (response: unknown) => Outcome | null;
  readonly settle: (outcome: StepOutcome) => Outcome;
}

/** Changes a post with the user's token, if there is one: VK documents no other. */
const changePost = async <Outcome extends DeleteOutcome | EditOutcome>(
  connection: NetworkConnection,
  context: Omit<DeleteContext, 'now' | 'minuteMs'> & Partial<Pick<SendContext, 'waits'>>,
  { change, method, parameters, readDone, settle }: PostChange<Outcome>,
): Promise<Outcome | Refusal> => {
  const { access_token, upload_token } = context.credentials;
  const token = upload_token ?? access_token;
  if (!token) return noToken;
  const owner_id = `-${context.channel.address['group_id'] ?? ''}`;
  const calling = { waits: {}, ...context };
  const call = { method, parameters: { owner_id, ...parameters }, token, visible: false, errors: TABLES[change] };
  const answer = await callVk(connection, call, calling);
  if (answer.ok)
    return readDone(answer.response) ?? settle(classifyUnreadable(answer.last, false, context.credentials));
  const outcome = settle(answer.outcome);
  if (UNCLEAR.has(answer.errorCode))
    return settleByLookUp<Outcome | Refusal>(outcome, () =>
      isOnWall(connection, `${owner_id}_${parameters['post_id']}`, token, calling),
    );
  return token === access_token ? outcome : ofUserToken(outcome, change);
};

/** What a refused deletion and a refused edit have in common. */
type Refusal = Exclude<EditOutcome, { kind: 'done' }>;

/** Posts are made with another token than the user's, so what is wrong with that one does not stop them (D-71). */
const ofUserToken = <Outcome extends DeleteOutcome | EditOutcome>(
  outcome: Outcome,
  change: Change,
): Outcome | Refusal => {
  if (outcome.kind !== 'needs_attention') return outcome;
  const { category, code } = outcome.error;
  const then = REMEDIES[change];
  if (category === 'credentials') {
    const message = VK_MESSAGES.userTokenRefused({ then });
    return refusedChange('user_token_needed', { ...outcome.error, message });
  }
  if (category === 'channel' && code !== 'chat_not_found') {
    const message = VK_MESSAGES.userMayNot({ then });
    return refusedChange(`no_right_to_${change}`, { ...outcome.error, message });
  }
  return outcome;
};

/** Asks whether readers see a post; returns the outcome of a question that was not answered. */
const isOnWall = async (
  connection: NetworkConnection,
  post: string,
  token: string,
  context: Parameters<typeof callVk>[2],
): Promise<boolean | StepOutcome> => {
  const call = { method: 'wall.getById', parameters: { posts: post }, token, visible: false };
  const answer = await callVk(connection, call, context);
  if (!answer.ok) return answer.outcome;
  const { items } = answer.response as { readonly items?: unknown };
  // Older versions answer with the list itself.
  const posts = Array.isArray(answer.response) ? (answer.response as unknown[]) : items;
  return !Array.isArray(posts) || (posts as readonly (WallItem | null)[]).some((item) => item?.is_deleted !== true);
};

interface WallItem {
  readonly is_deleted?: unknown;
}

/** Without a user's token, only VK knows: it documents none, but by reports some community tokens may delete. */
export const canDeletePost = ({ address }: PlatformChannel, _publishedAt: Instant | null): DeleteForecast =>
  address['uploads'] === undefined
    ? { withdraw: null, until: null, text: VK_MESSAGES.deletingNeedsUserToken }
    : { withdraw: true, until: null, text: null };

/**
 * Plans the calls that change a post on a wall: the uploads of new media, then `wall.edit` with the whole content. VK
 * does not say what becomes of attachments that are left out, so all are sent (networks.md §10).
 */
export const renderEdit = (
  published: PublishedPost,
  post: PlatformPost,
  channel: PlatformChannel,
  uploaded: SendContext['results'] = {},
): EditRendering | EditRefusal => {
  const [messageId, ...more] = published.messageIds;
  if (messageId === undefined || more.length > 0)
    return cannotEdit('refused', EDIT_MESSAGES.messagesUnknown({ network: TITLE }));
  const { isAdvertisement } = published.post;
  const known = knownResults(published);
  const kept = keepMedia(published, known, post);
  const fresh = post.media.map((_, index) => uploadStepName(index)).filter((name) => !(name in kept));
  const resultsAfter = { ...kept, ...pick(uploaded, fresh) };
  const rendered = renderVk({ ...post, isAdvertisement }, channel, resultsAfter);
  const now = contentOf(rendered, kept);
  if (!now) return cannotEdit('nothing_left', EDIT_MESSAGES.nothingLeft({ network: TITLE }));
  const before = contentOf(renderVk(published.post, channel, known), known);
  const uploads = rendered.steps
    .filter(({ name, visible }) => !visible && fresh.includes(name))
    .map((step) => ({ ...step, messageId: null }));
  const edit = {
    name: 'edit',
    visible: true,
    method: 'wall.edit',
    request: {
      owner_id: `-${channel.address['group_id'] ?? ''}`,
      post_id: messageId,
      message: now.message,
      ...(now.attachments.length + (before?.attachments.length ?? 0) > 0 && { attachments: now.attachments }),
      ...(isAdvertisement && { mark_as_ads: '1' }),
    },
    messageId,
  };
  const { warnings, textAfterTrim, trimmedChars } = rendered;
  const isSame = JSON.stringify(before) === JSON.stringify(now);
  return { steps: isSame ? [] : [...uploads, edit], warnings, textAfterTrim, trimmedChars, resultsAfter };
};

/** Forecast of what {@link renderEdit} allows. Without a user's token, only VK knows whether it may be edited. */
export const canEdit = (_post: PlatformPost, { address }: PlatformChannel): EditForecast =>
  address['uploads'] === undefined
    ? { edit: ['text'], text: VK_MESSAGES.editingNeedsUserToken }
    : {
        edit: ['text', 'media'],
        text: DEGRADATION_MESSAGES.noButtons({ network: TITLE, instead: DEGRADATION_MESSAGES.buttonsLeftOut }),
      };

/** The results of the uploads. Media without one were published as links, because there was no upload token. */
const knownResults = ({ post, results }: PublishedPost): SendContext['results'] =>
  Object.fromEntries(
    post.media.map((_, index) => {
      const name = uploadStepName(index);
      return [name, results[name] ?? { unsent: OBSTACLE_MESSAGES.noUploadToken }];
    }),
  );

/** Returns the results of the media that stay, under the names of their new places. */
const keepMedia = (
  { post }: PublishedPost,
  known: SendContext['results'],
  { media }: PlatformPost,
): SendContext['results'] =>
  Object.fromEntries(
    matchMedia(post.media, media).flatMap((from, to) =>
      from === null ? [] : [[uploadStepName(to), known[uploadStepName(from)]!]],
    ),
  );

const pick = (results: SendContext['results'], names: readonly string[]): SendContext['results'] =>
  Object.fromEntries(Object.entries(results).filter(([name]) => names.includes(name)));

interface Content {
  readonly message: string;
  /** References only to what is still to be uploaded. */
  readonly attachments: readonly Json[];
}

/** Returns what a rendered post shows; null if that is nothing. */
const contentOf = ({ steps }: Rendering, results: SendContext['results']): Content | null => {
  const request = steps.find(({ visible }) => visible)?.request;
  if (!request) return null;
  const attachments = (request['attachments'] ?? []) as readonly JsonObject[];
  return {
    message: (request['message'] as string | undefined) ?? '',
    attachments: attachments.map((reference) => {
      const { $from = '' } = reference as { readonly $from?: string };
      const name = $from.replace(/\.attachment$/, '');
      return results[name]?.['attachment'] ?? reference;
    }),
  };
};
