import type { JsonObject } from '../../kernel/json.js';
import type { Media } from '../../payload/payload.js';
import { fittedWarnings } from '../fitted-photos.js';
import { plainText } from '../plain-text.js';
import type { PlatformChannel, PlatformPost, Rendering, SendContext, Step, Warning } from '../publisher.js';
import { signatureWarnings } from '../signature.js';
import { mentionBreaks } from './mentions.js';

/** Characters of a wall post (publish-api.md: Limits), counted in UTF-16 units. */
export const MAX_POST_TEXT = 15_895;

/** What an upload step remembers: what goes into `attachments`, or why the medium goes as a link (D-22). */
export type UploadResult = { readonly attachment: string } | { readonly unsent: string };

/** The name of a medium's upload. */
export const uploadOf = (index: number): string => `media-${index + 1}`;

/** The calls by which a medium reaches VK, and the field of the form that carries it (networks.md §1). */
const UPLOADS = {
  photo: { method: 'photos.saveWallPhoto', upload: { address: 'photos.getWallUploadServer', field: 'photo' } },
  video: { method: 'video.save', upload: { address: 'video.save', field: 'video_file' } },
} as const;

/**
 * The calls that put a post on a community's wall: a step for each upload, then `wall.post` (networks.md §1, §2, §5).
 * Uploads need a user's token, which `address.uploads` tells of; without it, and for sound, the link goes into the
 * text. Pure; a post of which nothing is left has no steps, and its first warning says so (D-22).
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
    const name = uploadOf(index);
    const obstacle = obstacleTo(medium, channel) ?? unsent(results[name]);
    if (obstacle === null) {
      attachments.push({ $from: `${name}.attachment` });
      warnings.push(...fittedWarnings(results[name], index));
    } else {
      links.push(medium.url);
      warnings.push({ code: 'media_linked', message: `Medium ${index + 1} goes as a link in the text: ${obstacle}` });
    }
    // A step that is done stays in the rendering, whatever it found.
    if (medium.type !== 'audio' && obstacleTo(medium, channel) === null) {
      steps.push(uploadStep(name, index, medium.type, medium.url, groupId));
    }
  }

  const shown = plainText(post, {
    limit: MAX_POST_TEXT,
    lines: links,
    breaks: mentionBreaks,
    signature: post.signature,
  });
  warnings.push(...textWarnings(shown), ...signatureWarnings(shown));
  if (post.buttons.length > 0) {
    warnings.push({ code: 'buttons_ignored', message: 'VK shows no buttons under a post: they are left out.' });
  }
  const { text: textAfterTrim, trimmedChars } = shown;
  if (textAfterTrim === '' && attachments.length === 0) {
    const nothing = { code: 'nothing_to_send', message: 'Nothing of this post is left for VK.' };
    return { steps: [], warnings: [nothing, ...warnings], textAfterTrim, trimmedChars };
  }
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
      guid: { $from: 'publication.guid' },
    },
  });
  return { steps, warnings, textAfterTrim, trimmedChars };
};

/** Why a medium cannot even be tried; null where it can. */
const obstacleTo = ({ type }: Media, { address }: PlatformChannel): string | null => {
  if (type === 'audio') return 'VK takes no sound.';
  return address['uploads'] === undefined ? 'the channel has no upload token.' : null;
};

const unsent = (result: JsonObject | undefined): string | null =>
  typeof result?.['unsent'] === 'string' ? result['unsent'] : null;

const uploadStep = (name: string, index: number, type: 'photo' | 'video', source: string, groupId: string): Step => {
  const { method, upload } = UPLOADS[type];
  const own = type === 'video' ? { name: nameOf(source), wallpost: '0' } : {};
  return { name, visible: false, method, request: { group_id: groupId, ...own, upload: { ...upload, index, source } } };
};

/** A video's name: that of its file, without the ending. */
const nameOf = (url: string): string => {
  const last = URL.canParse(url) ? (new URL(url).pathname.split('/').at(-1) ?? '') : '';
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

const textWarnings = ({ trimmedChars, droppedLinks, losesFormatting }: ReturnType<typeof plainText>): Warning[] => [
  ...(trimmedChars > 0
    ? [
        {
          code: 'text_trimmed',
          message: `VK takes ${MAX_POST_TEXT} characters: ${trimmedChars} were cut from the end.`,
        },
      ]
    : []),
  ...(droppedLinks > 0 ? [{ code: 'links_dropped', message: `${droppedLinks} links found no room in the text.` }] : []),
  ...(losesFormatting ? [{ code: 'formatting_dropped', message: 'VK shows text without formatting.' }] : []),
];
