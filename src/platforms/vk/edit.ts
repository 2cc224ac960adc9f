import type { Json, JsonObject } from '../../kernel/ids.js';
import { cannotEdit, matchMedia } from '../after-publishing.js';
import { DEGRADATION_MESSAGES, EDIT_MESSAGES, OBSTACLE_MESSAGES } from '../messages.js';
import type {
  EditForecast,
  EditRefusal,
  EditRendering,
  PlatformChannel,
  PlatformPost,
  PublishedPost,
  Rendering,
  SendContext,
} from '../publisher.js';
import { TITLE } from './limits.js';
import { VK_MESSAGES } from './messages.js';
import { renderVk, uploadStepName } from './render.js';

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
