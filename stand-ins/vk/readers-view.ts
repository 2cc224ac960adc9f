import { EMPTY_MESSAGE, findUploads, mediumAt, type ReadersView, readReference } from '../walls/readers-view.js';
import { MAX_MESSAGE } from './limits.js';
import { renderMentions } from './mentions.js';
import { THEME } from './theme.js';

/** Shows posts the way readers of VK walls see them. */
export const VK_VIEW: ReadersView = {
  theme: THEME,
  readCalls: (calls) => {
    const files = findUploads(calls);
    const videos = new Set(calls.filter(({ method }) => method === 'video.save').map(({ step }) => step));
    return calls
      .filter(({ method }) => method === 'wall.post')
      .map(({ request: { message, attachments } }) => ({
        ...EMPTY_MESSAGE,
        ...renderMentions(typeof message === 'string' ? message : ''),
        media: (Array.isArray(attachments) ? (attachments as unknown[]) : []).map((attachment) => {
          const step = readReference(attachment) ?? '';
          return mediumAt(videos.has(step) ? 'video' : 'photo', files.get(step) ?? '');
        }),
      }));
  },
  textLimit: () => MAX_MESSAGE,
};
