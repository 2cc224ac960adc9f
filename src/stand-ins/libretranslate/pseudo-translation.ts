const WORD = /[\p{L}\p{M}\p{N}]+/gu;
const TOKEN = /<(\/?)([a-z][a-z0-9]*)\b([^<>]*)>|<|>/gi;

/** HTML that is none. */
export class BadMarkup extends Error {}

/** A text in which every word says its language: `мир` becomes `мир·en`. Everything between the words stays. */
export const pseudoTranslated = (text: string, target: string): string => text.replace(WORD, `$&·${target}`);

/**
 * HTML whose text is {@link pseudoTranslated}. Tags and their attributes stay, and so does what is inside of an element
 * with `translate="no"`; references come back as far as HTML needs them alone.
 */
export const pseudoTranslatedHtml = (html: string, target: string): string => {
  const open: { readonly name: string; readonly isLeft: boolean }[] = [];
  let result = '';
  let at = 0;
  const writeTo = (position: number): void => {
    const words = decoded(html.slice(at, position));
    result += encoded(open.at(-1)?.isLeft ? words : pseudoTranslated(words, target));
  };
  for (const token of html.matchAll(TOKEN)) {
    const [whole, slash, name = '', attributes = ''] = token;
    if (slash === undefined) throw new BadMarkup(`a lone ${whole}`);
    writeTo(token.index);
    at = token.index + whole.length;
    result += whole;
    if (slash === '') open.push({ name, isLeft: open.at(-1)?.isLeft === true || /\btranslate="no"/.test(attributes) });
    else if (open.pop()?.name !== name) throw new BadMarkup(`${whole} closes nothing`);
  }
  if (open.length > 0) throw new BadMarkup(`<${open.at(-1)!.name}> is not closed`);
  writeTo(html.length);
  return result;
};

const REFERENCES = { '&lt;': '<', '&gt;': '>', '&quot;': '"', '&amp;': '&' } as const;

const decoded = (html: string): string =>
  html.replace(/&[a-z0-9#]*;?/gi, (reference) => {
    const character = REFERENCES[reference as keyof typeof REFERENCES];
    if (character === undefined) throw new BadMarkup(`${reference} is no reference`);
    return character;
  });

const encoded = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
