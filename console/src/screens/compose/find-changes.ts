import { fileName } from '../../../../stand-ins/walls/readers-view.js';
import { nameOfUpload } from '../../api/upload.js';
import { networkInText } from '../../components/networks.js';
import type { MarkType } from '../../editor/formatted-text.js';
import type { NetworkPreview, Wall } from '../../walls/read-wall.js';
import type { ChangeMessages } from './change-messages.js';
import type { Draft } from './draft.js';

/** A difference between a post as written and as a network shows it. */
export interface Change {
  readonly code: string;
  /** A word or two, shown on the wall. */
  readonly tag: string;
  readonly text: string;
  /** The gateway's own message, if it says more than the text. */
  readonly reason?: string;
  /** The only channel with this change; absent if all channels of the network have it. */
  readonly channelId?: string;
}

/** A network's preview, and the wall derived from it. */
export interface PreviewedWall {
  readonly preview: NetworkPreview;
  readonly wall: Wall;
}

/** Warnings that do not describe a change: a channel does not receive the post, or the preview is incomplete. */
const NO_CHANGES = new Set(['no_target', 'channel_disabled', 'requests_left_out']);

/** Formatting that a network shows as plain text, although it supports other formatting. */
const SHOWN_PLAIN: Readonly<Record<string, readonly MarkType[]>> = { max: ['quote', 'spoiler'] };

/** Lists the changes that a network makes to a draft. */
export const findChanges = (
  draft: Draft,
  { preview, wall }: PreviewedWall,
  m: ChangeMessages,
  number: (value: number) => string,
): Change[] => {
  const network = networkInText(wall.platform);
  const changes = preview.warnings
    .filter(({ code }) => !NO_CHANGES.has(code))
    .flatMap((warning) =>
      describe(warning, { draft, preview, wall, network, m, number }).map((change) =>
        warning.target_id === undefined ? change : { ...change, channelId: warning.target_id },
      ),
    );
  return hasLostLinks(draft, wall)
    ? [...changes, { code: 'links_written_out', tag: m.linksWritten, text: m.linksWrittenText(network) }]
    : changes;
};

interface Facts extends PreviewedWall {
  readonly draft: Draft;
  readonly network: string;
  readonly m: ChangeMessages;
  readonly number: (value: number) => string;
}

const describe = ({ code, message }: NetworkPreview['warnings'][number], facts: Facts): Change[] => {
  const { network, m, draft, preview, number } = facts;
  const buttons = draft.buttons.flat().length;
  const known: Readonly<Record<string, readonly [tag: string, text: string]>> = {
    text_trimmed: [m.cut(number(preview.trimmed_chars)), m.cutText(network, number(preview.trimmed_chars))],
    buttons_ignored: [m.buttonsDropped(buttons), m.buttonsDroppedText(network, buttons)],
    buttons_dropped: [m.buttonsDropped(buttons), m.buttonsOffText(network, buttons)],
    buttons_linked: [m.buttonsLinks, m.buttonsLinksText(network, buttons)],
    text_added: [m.textAdded, m.textAddedText(network)],
    signature_dropped: [m.signatureDropped, m.signatureDroppedText(network)],
    nothing_to_send: [m.nothing, m.nothingText(network)],
  };
  const [tag, text] = known[code] ?? [];
  if (code === 'formatting_dropped') return describeFormatting(message, facts);
  if (tag !== undefined && text !== undefined) return [{ code, tag, text }];
  return [describeMedium(code, message, facts) ?? { code, tag: TAGS[code]?.(m) ?? m.other, text: message }];
};

/** Tags for changes that are explained by the gateway's own message, because it names the button, address or rule. */
const TAGS: Readonly<Record<string, (m: ChangeMessages) => string>> = {
  links_dropped: (m) => m.linksDropped,
  media_dropped: (m) => m.linksDropped,
  link_dropped: (m) => m.linkDropped,
  entities_dropped: (m) => m.someFormatting,
  custom_emoji_dropped: (m) => m.emojiPlain,
  button_dropped: (m) => m.buttonDropped,
  button_text_shortened: (m) => m.buttonShortened,
  filtered: (m) => m.filtered,
  translation_failed: (m) => m.notTranslated,
  formatting_lost_in_translation: (m) => m.formattingInTranslation,
  replacements_left_out: (m) => m.replacementsLeftOut,
};

const describeFormatting = (message: string, { wall, draft, network, m }: Facts): Change[] => {
  const code = 'formatting_dropped';
  const used = new Set(draft.text.marks.map(({ type }) => type));
  const types = (Object.keys(m.types) as MarkType[]).filter((type) => used.has(type) && type !== 'link');
  const plain = SHOWN_PLAIN[wall.platform];
  const names = types.map((type) => m.types[type]);
  // The formatted text is too long, so even formatting that the network supports is lost.
  if (
    plain &&
    wall.messages.every(({ entities }) => entities.length === 0) &&
    types.some((type) => !plain.includes(type))
  )
    return [{ code, tag: m.formatting, text: m.formattingText(network, names), reason: message }];
  if (!plain) return [{ code, tag: m.formatting, text: m.formattingText(network, names) }];
  const changes: Change[] = [];
  if (types.includes('quote')) changes.push({ code, tag: m.quotePlain, text: m.quotePlainText(network) });
  if (types.includes('spoiler')) changes.push({ code, tag: m.spoilerOpen, text: m.spoilerOpenText(network) });
  // If the draft has no quote or spoiler, the lost formatting must come from the project's signature.
  return changes.length > 0
    ? changes
    : [{ code, tag: m.formatting, text: m.formattingText(network, []), reason: message }];
};

const describeMedium = (code: string, message: string, { draft, network, m }: Facts): Change | null => {
  const index = /media\[(\d+)\]/.exec(message)?.[1];
  const medium = draft.media[Number(index ?? NaN)];
  if (!medium) return null;
  const name = medium.id === undefined ? fileName(medium.url ?? '') : nameOfUpload(medium.id);
  if (code === 'photo_fitted') return { code, tag: m.photoFitted, text: m.photoFittedText(network, name) };
  if (code === 'media_as_document') return { code, tag: m.mediumFile, text: m.mediumFileText(network, name) };
  if (code !== 'media_linked' && code !== 'media_as_link') return null;
  const reason = message.slice(message.indexOf(': ') + 2);
  return { code, tag: m.mediumLinked, text: m.mediumLinkedText(network, name), reason };
};

/**
 * True if the draft has links and the wall shows none. The gateway gives no warning, because readers still see the
 * addresses.
 */
const hasLostLinks = (draft: Draft, { messages }: Wall): boolean =>
  messages.length > 0 &&
  draft.text.marks.some(({ type }) => type === 'link') &&
  !messages.some(({ entities }) => entities.some(({ type }) => type === 'text_link'));
