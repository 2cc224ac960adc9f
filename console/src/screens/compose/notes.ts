import { fileName } from '../../../../stand-ins/walls/readers-view.js';
import type { Api } from '../../api/management.js';
import { networkTitle } from '../../components/networks.js';
import type { ChangeMessages } from './change-messages.js';
import type { Note } from './changes-card.js';

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
    if (status === 'needs_attention') return [{ platform, text: m.channelOnHold(networkTitle(platform)) }];
    return until === null ? [] : [{ platform, text: m.channelPaused(networkTitle(platform), moment(until)) }];
  }),
  ...(sandbox?.warnings ?? [])
    .filter(({ code }) => code !== 'host_not_found')
    .map(({ code, message }) =>
      code === 'looks_like_html'
        ? { platform: null, text: m.looksLikeHtml }
        : { platform: null, text: message, isQuoted: true },
    ),
  ...(sandbox?.validation.media ?? []).flatMap(({ url, note }, index): Note[] => {
    if (note === undefined) return [];
    const isUnknown = sandbox?.warnings.some(({ path }) => path === `media[${index}].url`) === true;
    if (isUnknown) return [{ platform: null, text: m.notReached(fileName(url)) }];
    return [{ platform: null, text: note.replace(`media[${index}].url`, fileName(url)), isQuoted: true }];
  }),
];
