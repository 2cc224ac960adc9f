import type { Json, JsonObject } from '../../kernel/ids.js';
import type { Button } from '../../payload/payload.js';
import { sourceOf } from '../../payload/uploads.js';
import { fittedWarnings, linkedMediaWarnings, readUnsent } from '../media.js';
import { DEGRADATION_MESSAGES as MESSAGES, OBSTACLE_MESSAGES } from '../messages.js';
import { nothingToSend, plainText, plainTextWarnings } from '../plain-text.js';
import type { PlatformChannel, PlatformPost, Rendering, SendContext, Step, Warning } from '../publisher.js';
import { OK_LIMITS, TITLE } from './limits.js';

/**
 * Returns the name of a medium's upload step. The step's result has an `id`, or `unsent` if the medium becomes a link.
 */
export const uploadStepName = (index: number): string => `media-${index + 1}`;

/** Upload method and the form field for the file (networks.md §1). */
const UPLOADS = {
  photo: { method: 'photosV2.getUploadUrl', field: 'pic1' },
  video: { method: 'video.getUploadUrl', field: 'data' },
} as const;

/**
 * Returns the calls that publish a post in a group's feed: a step for each upload, then `mediatopic.post` (networks.md
 * §1, §2, §5). Audio becomes a link in the text, and so do buttons, unless the channel's `buttons` setting drops them.
 * Pure. If there is nothing to send, there are no steps and the first warning says so (D-22).
 */
export const renderOk = (
  post: PlatformPost,
  channel: PlatformChannel,
  results: SendContext['results'] = {},
): Rendering => {
  const gid = channel.address['group_id'] ?? '';
  const warnings: Warning[] = [];
  const steps: Step[] = [];
  const photos: JsonObject[] = [];
  const movies: JsonObject[] = [];
  const links: string[] = [];
  for (const [index, medium] of post.media.entries()) {
    const { type, url } = medium;
    const name = uploadStepName(index);
    const obstacle = type === 'audio' ? OBSTACLE_MESSAGES.noAudio({ network: TITLE }) : readUnsent(results[name]);
    if (obstacle === null) {
      (type === 'photo' ? photos : movies).push({ id: { $from: `${name}.id` } });
      warnings.push(...fittedWarnings(results[name], index));
    } else {
      links.push(url);
      warnings.push(...linkedMediaWarnings('media_linked', index, medium, obstacle));
    }
    // A completed step is still rendered, whatever its result.
    if (type !== 'audio') steps.push(uploadStep(name, index, type, sourceOf(medium), uploadsTo(type, channel)));
  }
  const buttons = post.buttons.flat();
  if (buttons.length > 0) warnings.push(buttonsWarning(channel));
  const lines = [...links, ...(dropsButtons(channel) ? [] : buttons.map(buttonLine))];

  const limit = typeof channel.settings['text_limit'] === 'number' ? channel.settings['text_limit'] : OK_LIMITS.text;
  const shown = plainText(post, { limit, lines, signature: post.signature });
  warnings.push(...plainTextWarnings(shown, TITLE, limit));
  if (post.silent) warnings.push({ code: 'silent_ignored', message: MESSAGES.silentIgnored({ network: TITLE }) });
  if (post.pin) warnings.push({ code: 'pin_ignored', message: MESSAGES.pinIgnored({ network: TITLE }) });
  const { text, trimmedChars } = shown;
  const media: Json[] = [
    ...(text === '' ? [] : [{ type: 'text', text }]),
    ...(photos.length > 0 ? [{ type: 'photo', list: photos }] : []),
    ...(movies.length > 0 ? [{ type: 'movie', list: movies }] : []),
  ];
  if (media.length === 0)
    return { steps: [], warnings: [nothingToSend(TITLE), ...warnings], textAfterTrim: text, trimmedChars };
  steps.push({
    name: 'topic',
    visible: true,
    method: 'mediatopic.post',
    request: {
      type: 'GROUP_THEME',
      gid,
      attachment: { media, onBehalfOfGroup: 'true' },
      // A post without photos or videos shows a preview of the page that it links to.
      ...(photos.length + movies.length === 0 ? { text_link_preview: 'true' } : {}),
    },
  });
  return { steps, warnings, textAfterTrim: text, trimmedChars };
};

/** Returns the group to upload a medium to; null for a video that is uploaded to the account (networks.md §1). */
const uploadsTo = (type: 'photo' | 'video', { address, settings }: PlatformChannel): string | null =>
  type === 'photo' || settings['video_upload'] === 'group' ? (address['group_id'] ?? '') : null;

const uploadStep = (name: string, index: number, type: 'photo' | 'video', source: string, gid: string | null): Step => {
  const { method, field } = UPLOADS[type];
  const where = { ...(gid !== null && { gid }), ...(type === 'photo' && { count: '1' }) };
  return { name, visible: false, method, request: { ...where, upload: { field, index, source } } };
};

const dropsButtons = ({ settings }: PlatformChannel): boolean => settings['buttons'] === 'drop';

const buttonLine = ({ text, url }: Button): string => `${text.replace(/\s+/g, ' ').trim()}: ${url}`;

const buttonsWarning = (channel: PlatformChannel): Warning =>
  dropsButtons(channel)
    ? { code: 'buttons_dropped', message: MESSAGES.buttonsSwitchedOff }
    : { code: 'buttons_linked', message: MESSAGES.noButtons({ network: TITLE, instead: MESSAGES.buttonsAsLinks }) };
