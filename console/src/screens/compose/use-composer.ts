import { replaceText, setLink } from '../../editor/formatted-text.js';
import type { FormattedText } from '../../editor/marks.js';
import { format } from '../../i18n/format.js';
import { readTime } from '../../planning/choose-time.js';
import { readBrand } from '../../publish-code/brand.js';
import { publishCode } from '../../publish-code/publish-code.js';
import { browserZone } from '../../time/local-time.js';
import { useNow } from '../../time/server-clock.js';
import { ownLimit } from '../../walls/own-limit.js';
import { readWall } from '../../walls/read-wall.js';
import { changeMessages as m } from './change-messages.js';
import { chooseDestination, type Destination } from './destination.js';
import { type Draft, isEmpty, textOf, toPayload } from './draft.js';
import { findChanges } from './find-changes.js';
import { findNotes } from './notes.js';
import { useDraft, type Wanted } from './use-draft.js';
import { usePreview } from './use-preview.js';
import type { NetworkWall } from './walls.js';

/** Returns the current draft and everything derived from it. */
export const useComposer = (scopeKey: string, destinations: readonly Destination[], wanted: Wanted) => {
  const { draft, isChanged, update, clear } = useDraft(scopeKey, wanted);
  const destination = chooseDestination(destinations, draft.endpointId)!;
  const { endpoint, channels, projects } = destination;
  const payload = toPayload(
    draft,
    channels.map(({ id }) => id),
  );
  const receiving = channels.filter(({ id, status }) => status !== 'disabled' && !draft.leftOut.includes(id));
  const hasNothing = isEmpty(draft);
  const preview = usePreview(endpoint.id, hasNothing || receiving.length === 0 ? null : payload);
  const now = useNow(60_000);
  const platforms = [...new Set(receiving.map(({ platform }) => platform))];
  const walls = hasNothing
    ? []
    : platforms.flatMap((platform): NetworkWall[] => {
        const found = preview.result?.preview[platform];
        if (!found) return [];
        const own = receiving.filter((channel) => channel.platform === platform);
        const [first] = own;
        const previewOf = (channelId: string) => preview.result?.preview[channelId] ?? found;
        const shown = first ? previewOf(first.id) : found;
        const wall = readWall(platform, shown, first?.id, first ? ownLimit(first) : null);
        const seen = { preview: shown, wall };
        const written = { ...draft, text: textOf(draft, platform) };
        return [{ ...seen, previewOf, channels: own, changes: findChanges(written, seen, m, format.number) }];
      });
  const sending = projects.filter(({ channel_ids: ids }) => receiving.some(({ id }) => ids.includes(id)));
  const read = draft.when === null ? null : readTime(draft.when, browserZone(), now);
  return {
    draft,
    isChanged,
    /** When the post will be published, in ms since 1970; null for now, or if the chosen time cannot be used. */
    at: read?.problem === null ? read.at : null,
    hasBadTime: read !== null && read.problem !== null,
    update,
    clear,
    destination,
    payload,
    platforms,
    receiving,
    hasNothing,
    preview,
    walls,
    notes: findNotes(receiving, sending, hasNothing ? null : preview.result, m, (at) => format.moment(at, now)),
    code: publishCode(endpoint, payload, endpoint.mode === 'live' ? { key: draft.key } : 'none', readBrand()),
    putLinks: () => update({ text: writeLinks(draft) }),
  };
};

/** Adds the buttons' links below the text, for networks without buttons. */
const writeLinks = ({ text, buttons }: Draft): FormattedText =>
  buttons.flat().reduce<FormattedText>((value, button, index) => {
    const separated = replaceText(value, value.text.length, value.text.length, index === 0 ? '\n\n' : '\n', PLAIN);
    const start = separated.text.length;
    const written = replaceText(separated, start, start, button.text, PLAIN);
    return setLink(written, start, written.text.length, button.url);
  }, text);

/** Keeps formatting at the end of the text from extending to the links. */
const PLAIN = {
  bold: false,
  italic: false,
  underline: false,
  strikethrough: false,
  spoiler: false,
  code: false,
  quote: false,
} as const;
