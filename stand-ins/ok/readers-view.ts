import {
  EMPTY_MESSAGE,
  findUploads,
  mediumAt,
  type ReadersView,
  readReference,
  type WallTheme,
} from '../walls/readers-view.js';

/** Theme of OK's wall. */
export const THEME: WallTheme = {
  layout: 'cards',
  properties: {
    '--accent': 'light-dark(#b85c00, #ffab5c)',
    '--bubble': 'light-dark(#ffffff, #222326)',
    '--ground': 'light-dark(#f0f2f5, #121314)',
    '--like': "'👍 Klass!'",
  },
};

type Block = { readonly type?: unknown; readonly text?: unknown; readonly url?: unknown; readonly list?: unknown };

/** Shows topics the way OK readers see them. */
export const OK_VIEW: ReadersView = {
  theme: THEME,
  readCalls: (calls) => {
    const files = findUploads(calls);
    return calls
      .filter(({ method }) => method === 'mediatopic.post')
      .map(({ request: { attachment } }) => {
        const { media } = (attachment ?? {}) as { readonly media?: readonly Block[] };
        const blocks = media ?? [];
        return {
          ...EMPTY_MESSAGE,
          text: blocks
            .flatMap(({ type, text, url }) => (type === 'text' ? [text] : type === 'link' ? [url] : []))
            .join('\n'),
          media: blocks.flatMap(({ type, list }) =>
            (Array.isArray(list) ? (list as readonly { readonly id?: unknown }[]) : []).map(({ id }) =>
              mediumAt(type === 'movie' ? 'video' : String(type), files.get(readReference(id) ?? '') ?? ''),
            ),
          ),
        };
      });
  },
  textLimit: () => null,
};
