import type { JsonObject } from '../../kernel/ids.js';
import type { LocatedMedium, Media } from '../../payload/payload.js';
import { sourceOf } from '../../payload/uploads.js';
import { fittedWarnings, linkedMediaWarnings, readUnsent } from '../media.js';
import { DEGRADATION_MESSAGES as MESSAGES, OBSTACLE_MESSAGES } from '../messages.js';
import { nothingToSend, plainText, plainTextWarnings } from '../plain-text.js';
import type { PlatformChannel, PlatformPost, Rendering, SendContext, Step, Warning } from '../publisher.js';
import { TITLE, VK_LIMITS } from './limits.js';

/**
 * Matches text that VK would parse as a mention: `[id1|words]`, `@id1 (words)`, `*id1 (words)`, and `@` before a
 * possible user name. URLs and e-mail addresses do not contain mentions.
 */
const MENTION =
  /\[(?=[\w./:@-]+\|)|(?<![\w/.@=-])@(?=[a-z]\w)|(?<!\w)\*(?=(?:id|club|public|event)\d|[a-z][\w.]+ \()/gi;

/**
 * Returns the offsets right after characters that would start a mention, in ascending order, in UTF-16 units. An escape
 * there keeps VK from parsing the words as a mention (networks.md §2).
 */
export const findMentionBreaks = (text: string): readonly number[] =>
  Array.from(text.matchAll(MENTION), ({ index }) => index + 1);

const { text: MAX_POST_TEXT } = VK_LIMITS;

/**
 * Returns the name of a medium's upload step. The step's result has an `attachment`, or `unsent` if the medium becomes
 * a link.
 */
export const uploadStepName = (index: number): string => `media-${index + 1}`;

/** Upload methods and the form field for the file (networks.md §1). */
const UPLOADS = {
  photo: { method: 'photos.saveWallPhoto', upload: { address: 'photos.getWallUploadServer', field: 'photo' } },
  video: { method: 'video.save', upload: { address: 'video.save', field: 'video_file' } },
} as const;

/**
 * Returns the calls that publish a post on a community's wall: a step for each upload, then `wall.post` (networks.md
 * §1, §2, §5). Audio becomes a link in the text, and so do all media if the channel has no user token (see
 * `address.uploads`). Pure. If there is nothing to send, there are no steps and the first warning says so (D-22).
 */
export const renderVk = (
  post: PlatformPost,
  channel: PlatformChannel,
  results: SendContext['results'] = {},
): Rendering => {
  const groupId = channel.address['group_id'] ?? '';
  const warnings: Warning[] = [];
  const steps: Step[] = [];
  const attachments: JsonObject[] = [];
  const links: string[] = [];
  for (const [index, medium] of post.media.entries()) {
    const name = uploadStepName(index);
    const isUploaded = typeof results[name]?.['attachment'] === 'string';
    const obstacle = isUploaded ? null : (obstacleTo(medium, channel) ?? readUnsent(results[name]));
    if (obstacle === null) {
      attachments.push({ $from: `${name}.attachment` });
      warnings.push(...fittedWarnings(results[name], index));
    } else {
      links.push(medium.url);
      warnings.push(...linkedMediaWarnings('media_linked', index, medium, obstacle));
    }
    // A completed step is still rendered, whatever its result.
    if (medium.type !== 'audio' && obstacleTo(medium, channel) === null) {
      steps.push(uploadStep(name, index, medium.type, medium, groupId));
    }
  }

  const shown = plainText(post, {
    limit: MAX_POST_TEXT,
    lines: links,
    breaks: findMentionBreaks,
    signature: post.signature,
  });
  warnings.push(...plainTextWarnings(shown, TITLE, MAX_POST_TEXT));
  if (post.buttons.length > 0) {
    warnings.push({
      code: 'buttons_ignored',
      message: MESSAGES.noButtons({ network: TITLE, instead: MESSAGES.buttonsLeftOut }),
    });
  }
  const { text: textAfterTrim, trimmedChars } = shown;
  if (textAfterTrim === '' && attachments.length === 0)
    return { steps: [], warnings: [nothingToSend(TITLE), ...warnings], textAfterTrim, trimmedChars };
  steps.push({
    name: 'post',
    visible: true,
    method: 'wall.post',
    request: {
      owner_id: `-${groupId}`,
      from_group: '1',
      ...(textAfterTrim === '' ? {} : { message: textAfterTrim }),
      ...(attachments.length > 0 ? { attachments } : {}),
      ...(post.isAdvertisement ? { mark_as_ads: '1' } : {}),
      ...(post.silent ? { mute_notifications: '1' } : {}),
      guid: { $from: 'publication.guid' },
    },
  });
  return { steps, warnings, textAfterTrim, trimmedChars };
};

/** Returns why a medium cannot be uploaded at all; null if it can. */
const obstacleTo = ({ type }: Media, { address }: PlatformChannel): string | null => {
  if (type === 'audio') return OBSTACLE_MESSAGES.noAudio({ network: TITLE });
  return address['uploads'] === undefined ? OBSTACLE_MESSAGES.noUploadToken : null;
};

const uploadStep = (
  name: string,
  index: number,
  type: 'photo' | 'video',
  medium: LocatedMedium,
  groupId: string,
): Step => {
  const { method, upload } = UPLOADS[type];
  const own = type === 'video' ? { name: nameOf(medium), wallpost: '0' } : {};
  return {
    name,
    visible: false,
    method,
    request: { group_id: groupId, ...own, upload: { ...upload, index, source: sourceOf(medium) } },
  };
};

/** Returns a video's file name without the extension. */
const nameOf = ({ id, url, filename }: LocatedMedium): string => {
  const path = URL.canParse(url) ? (new URL(url).pathname.split('/').at(-1) ?? '') : '';
  const last = id === undefined ? path : encodeURIComponent(filename ?? '');
  try {
    return (
      decodeURIComponent(last)
        .replace(/\.\w+$/, '')
        .slice(0, 100) || 'video'
    );
  } catch {
    return 'video';
  }
};
