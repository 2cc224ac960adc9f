import { EMPTY_MESSAGE, findUploads, mediumAt, type ReadersView, readReference } from '../walls/readers-view.js';
import { parseHtml } from './html-text.js';
import { readKeyboard } from './keyboard.js';
import { MAX_TEXT } from './limits.js';
import { THEME } from './theme.js';

type Attachment = { readonly type?: unknown; readonly payload?: unknown };

/** Shows messages the way MAX readers see them. */
export const MAX_VIEW: ReadersView = {
  theme: THEME,
  readCalls: (calls) => {
    const files = findUploads(calls);
    return calls
      .filter(({ method }) => method === 'POST /messages')
      .map(({ request: { text, format, attachments } }) => {
        const words = typeof text === 'string' ? text : '';
        const attached = Array.isArray(attachments) ? (attachments as readonly Attachment[]) : [];
        const keyboards = attached.filter(({ type }) => type === 'inline_keyboard');
        return {
          ...EMPTY_MESSAGE,
          ...(format === 'html' ? parseHtml(words) : { text: words }),
          media: attached
            .filter(({ type }) => type !== 'inline_keyboard')
            .map(({ type, payload }) =>
              mediumAt(type === 'image' ? 'photo' : String(type), files.get(readReference(payload) ?? '') ?? ''),
            ),
          buttons: keyboards.flatMap(({ payload }) => readKeyboard(payload)),
        };
      });
  },
  textLimit: () => MAX_TEXT,
};
