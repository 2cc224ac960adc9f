import {
  EMPTY_MESSAGE,
  findUploads,
  mediumAt,
  type ReadersView,
  readReference,
  type WallTheme,
} from '../walls/readers-view.js';
import { MAX_TEXT, parseHtml } from './html-text.js';
import { readKeyboard } from './keyboard.js';

/** Theme of MAX's wall. */
export const THEME: WallTheme = {
  properties: {
    '--accent': 'light-dark(#6a4df5, #a596ff)',
    '--over': 'light-dark(rgb(61 51 112 / 74%), rgb(255 255 255 / 12%))',
    '--ground-1': 'light-dark(#e2dcff, #1b1730)',
    '--ground-2': 'light-dark(#cfd8ff, #151226)',
    '--ground-3': 'light-dark(#f0e3ff, #231d3d)',
    '--ground-4': 'light-dark(#bfc9fb, #100e1d)',
  },
};

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
