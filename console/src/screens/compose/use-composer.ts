import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { fileName } from '../../../../stand-ins/walls/readers-view.js';
import { type Api, GatewayError, management } from '../../api/management.js';
import { networkInText } from '../../components/networks.js';
import { type FormattedText, replaceText, setLink } from '../../editor/formatted-text.js';
import { format } from '../../i18n/format.js';
import { readTime } from '../../planning/choose-time.js';
import { readBrand } from '../../publish-code/brand.js';
import { publishCode } from '../../publish-code/publish-code.js';
import { browserZone } from '../../time/local-time.js';
import { useNow } from '../../time/server-clock.js';
import { ownLimit, readWall } from '../../walls/read-wall.js';
import { type ChangeMessages, changeMessages as m } from './change-messages.js';
import { type Draft, isEmpty, textOf, toPayload } from './draft.js';
import { findChanges } from './find-changes.js';
import { chooseDestination, type Destination } from './headline.js';
import type { NetworkWall, Note } from './previews.js';
import { useDraft, type Wanted } from './use-draft.js';

/**
 * Lists things to know before publishing: channels and projects that will hold the post back, and likely mistakes in
 * it.
 */
export const findNotes = (
  channels: readonly Api<'Channel'>[],
  projects: readonly Api<'Project'>[],
  sandbox: Pick<Api<'SandboxResult'>, 'warnings' | 'validation'> | null,
  m: ChangeMessages,
  moment: (at: string) => string,
): Note[] => [
  ...projects.flatMap(({ paused_until: until }) =>
    until === null ? [] : [{ platform: null, text: m.projectPaused(moment(until)) }],
  ),
  ...channels.flatMap(({ platform, status, paused_until: until }): Note[] => {
    if (status === 'needs_attention') return [{ platform, text: m.channelOnHold(networkInText(platform)) }];
    return until === null ? [] : [{ platform, text: m.channelPaused(networkInText(platform), moment(until)) }];
  }),
  ...(sandbox?.warnings ?? [])
    .filter(({ code }) => code !== 'host_not_found')
    .map(({ code, message }) =>
      code === 'looks_like_html'
        ? { platform: null, text: m.looksLikeHtml }
        : { platform: null, text: message, isQuoted: true },
    ),
  ...(sandbox?.validation.media ?? []).flatMap(({ url, note }, index): Note[] => {
    if (note === undefined || url === undefined) return [];
    const isUnknown = sandbox?.warnings.some(({ path }) => path === `media[${index}].url`) === true;
    if (isUnknown) return [{ platform: null, text: m.notReached(fileName(url)) }];
    return [{ platform: null, text: note.replace(`media[${index}].url`, fileName(url)), isQuoted: true }];
  }),
];

/** Delay between the last change and the sandbox call, in ms. */
const WAIT_MS = 300;

/** The sandbox's response: a preview, or the problems that would keep the post from being accepted. */
type Answer =
  | { readonly kind: 'preview'; readonly result: Api<'SandboxResult'> }
  | { readonly kind: 'refused'; readonly problems: readonly Api<'ErrorDetail'>[] };

/** The result of checking a post, and how current it is. */
export interface Preview {
  /** The last preview, which may be older than the post. */
  readonly result: Api<'SandboxResult'> | null;
  /** Problems with the current post; empty if there are none or the post has not been checked yet. */
  readonly problems: readonly Api<'ErrorDetail'>[];
  /** True if `result` is older than the post. */
  readonly isStale: boolean;
  /** The reason the post could not be checked; null if it has been checked or the check is in progress. */
  readonly error: unknown;
}

/** Checks and previews a payload 300 ms after its last change. Results for older payloads count as stale. */
export const usePreview = (endpointId: string | undefined, payload: Api<'PublishPayloadRequest'> | null): Preview => {
  const body = payload === null ? null : JSON.stringify(payload);
  const asked = useSettled(body);
  const query = useQuery({
    queryKey: ['preview', endpointId, asked],
    queryFn: () => ask(endpointId ?? '', asked ?? ''),
    enabled: endpointId !== undefined && asked !== null,
    placeholderData: keepPreviousData,
    // Every version of the text has its own key, so old previews would otherwise pile up in the cache.
    gcTime: 10_000,
  });
  const isCurrent = asked === body && !query.isPlaceholderData;
  const [last, setLast] = useState<Api<'SandboxResult'> | null>(null);
  if (query.data?.kind === 'preview' && query.data.result !== last) setLast(query.data.result);
  return {
    result: last,
    problems: isCurrent && query.data?.kind === 'refused' ? query.data.problems : [],
    isStale: !isCurrent || query.data?.kind !== 'preview',
    error: asked === body ? query.error : null,
  };
};

/** Debounces a value; returns the first value immediately. */
export const useSettled = (value: string | null): string | null => {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    if (value === settled) return;
    const timer = setTimeout(() => setSettled(value), WAIT_MS);
    return () => clearTimeout(timer);
  }, [value, settled]);
  return settled;
};

const ask = async (id: string, body: string): Promise<Answer> => {
  try {
    const payload = JSON.parse(body) as Api<'PublishPayloadRequest'>;
    return {
      kind: 'preview',
      result: await management().post('/endpoints/{id}/sandbox', { path: { id }, body: payload }),
    };
  } catch (error) {
    if (error instanceof GatewayError && (error.status === 400 || error.status === 422)) {
      return { kind: 'refused', problems: error.details };
    }
    throw error;
  }
};

/** Returns the current draft and everything derived from it. */
export const useComposer = (
  scopeKey: string,
  destinations: readonly Destination[],
  wanted: Wanted,
  isLoading: boolean,
) => {
  const { draft, isChanged, update, clear } = useDraft(scopeKey, wanted);
  const destination = chooseDestination(destinations, draft)!;
  const { endpoint, channels, projects } = destination;
  const payload = toPayload(
    draft,
    channels.map(({ id }) => id),
    destination.isPart,
  );
  const receiving = channels.filter(({ id, status }) => status !== 'disabled' && !draft.leftOut.includes(id));
  const hasNothing = isEmpty(draft);
  const cannotAsk = isLoading || hasNothing || receiving.length === 0 || endpoint.id === '';
  const preview = usePreview(endpoint.id, cannotAsk ? null : payload);
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
    // The token of the console's own endpoint is shown to no one, so a program could not use it.
    code: endpoint.is_console
      ? null
      : publishCode(endpoint, payload, endpoint.mode === 'live' ? { key: draft.key } : 'none', readBrand()),
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
