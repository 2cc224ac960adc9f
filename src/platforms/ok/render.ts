import type { Json, JsonObject } from '../../kernel/json.js';
import { countOf } from '../../kernel/message.js';
import type { Button } from '../../payload/payload.js';
import { fittedWarnings } from '../fitted-photos.js';
import { linkedMediaWarning } from '../linked-media.js';
import { DEGRADATION_MESSAGES as MESSAGES, OBSTACLE_MESSAGES } from '../messages.js';
import { plainText } from '../plain-text.js';
import type { PlatformChannel, PlatformPost, Rendering, SendContext, Step, Warning } from '../publisher.js';
import { signatureWarnings } from '../signature.js';
import { OK_LIMITS } from './limits.js';
import { TITLE } from './title.js';

/** Result of an upload step: the id to use in the topic, or the reason why the medium becomes a link (D-22). */
export type UploadResult = { readonly id: string } | { readonly unsent: string };

/** Returns the name of a medium's upload step. */
export const uploadStepName = (index: number): string => `media-${index + 1}`;

/** Upload method and form field for the file, by type of medium (networks.md §1). */
const UPLOADS = {
  photo: { method: 'photosV2.getUploadUrl', field: 'pic1' },
  video: { method: 'video.getUploadUrl', field: 'data' },
} as const;

/**
 * Returns the calls that publish a post in a group's feed: a step for each upload, then `mediatopic.post` (networks.md
 * §1, §2, §5). Audio becomes a link in the text, and so do buttons unless the channel's setting `buttons` drops them.
 * Pure. If no part of the post can be sent, there are no steps, and the first warning says so (D-22).
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
  for (const [index, { type, url }] of post.media.entries()) {
    const name = uploadStepName(index);
    const obstacle = type === 'audio' ? OBSTACLE_MESSAGES.noAudio({ network: TITLE }) : unsent(results[name]);
    if (obstacle === null) {
      (type === 'photo' ? photos : movies).push({ id: { $from: `${name}.id` } });
      warnings.push(...fittedWarnings(results[name], index));
    } else {
      links.push(url);
      warnings.push(linkedMediaWarning('media_linked', index, obstacle));
    }
    // A completed step stays in the rendering, whatever its result.
    if (type !== 'audio') steps.push(uploadStep(name, index, type, url, gid));
  }
  const buttons = post.buttons.flat();
  if (buttons.length > 0) warnings.push(buttonsWarning(channel));
  const lines = [...links, ...(dropsButtons(channel) ? [] : buttons.map(buttonLine))];

  const limit = typeof channel.settings['text_limit'] === 'number' ? channel.settings['text_limit'] : OK_LIMITS.text;
  const shown = plainText(post, { limit, lines, signature: post.signature });
  warnings.push(...textWarnings(shown, limit), ...signatureWarnings(shown));
  const { text, trimmedChars } = shown;
  const media: Json[] = [
    ...(text === '' ? [] : [{ type: 'text', text }]),
    ...(photos.length > 0 ? [{ type: 'photo', list: photos }] : []),
    ...(movies.length > 0 ? [{ type: 'movie', list: movies }] : []),
  ];
  if (media.length === 0) {
    const nothing = { code: 'nothing_to_send', message: MESSAGES.nothingToSend({ network: TITLE }) };
    return { steps: [], warnings: [nothing, ...warnings], textAfterTrim: text, trimmedChars };
  }
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

const unsent = (result: JsonObject | undefined): string | null =>
  typeof result?.['unsent'] === 'string' ? result['unsent'] : null;

/** Returns an upload step. Only a photo gets a `gid`; with one, OK would publish a video at once (networks.md §1). */
const uploadStep = (name: string, index: number, type: 'photo' | 'video', source: string, gid: string): Step => {
  const { method, field } = UPLOADS[type];
  const where = type === 'photo' ? { gid, count: '1' } : {};
  return { name, visible: false, method, request: { ...where, upload: { field, index, source } } };
};

const dropsButtons = ({ settings }: PlatformChannel): boolean => settings['buttons'] === 'drop';

const buttonLine = ({ text, url }: Button): string => `${text.replace(/\s+/g, ' ').trim()}: ${url}`;

const buttonsWarning = (channel: PlatformChannel): Warning =>
  dropsButtons(channel)
    ? { code: 'buttons_dropped', message: MESSAGES.buttonsSwitchedOff }
    : { code: 'buttons_linked', message: MESSAGES.noButtons({ network: TITLE, instead: MESSAGES.buttonsAsLinks }) };

const textWarnings = (
  { trimmedChars, droppedLinks, losesFormatting }: ReturnType<typeof plainText>,
  limit: number,
): Warning[] => [
  ...(trimmedChars > 0
    ? [{ code: 'text_trimmed', message: MESSAGES.textTrimmed({ network: TITLE, limit, excess: trimmedChars }) }]
    : []),
  ...(droppedLinks > 0
    ? [{ code: 'links_dropped', message: MESSAGES.linksDropped({ links: countOf(droppedLinks, 'link') }) }]
    : []),
  ...(losesFormatting ? [{ code: 'formatting_dropped', message: MESSAGES.plainTextOnly({ network: TITLE }) }] : []),
];
