import { type FormattedText, type Mark, type MarkType, NO_TEXT, normalise, readUrl } from './formatted-text.js';

/** Elements that begin and end a line. */
const BLOCKS = new Set(
  'ADDRESS ARTICLE ASIDE BLOCKQUOTE DD DIV DL DT FIGCAPTION FIGURE FOOTER FORM H1 H2 H3 H4 H5 H6 HEADER HR LI MAIN NAV OL P PRE SECTION TABLE TR UL'.split(
    ' ',
  ),
);
/** Blocks with space around them: an empty line in text. */
const PARAGRAPHS = new Set('P H1 H2 H3 H4 H5 H6 UL OL BLOCKQUOTE PRE TABLE FIGURE'.split(' '));
/** Elements without text for readers. */
const IGNORED = new Set('SCRIPT STYLE TITLE META LINK TEMPLATE NOSCRIPT IFRAME OBJECT SVG HEAD'.split(' '));

const TAGS: Readonly<Record<string, MarkType>> = {
  B: 'bold',
  STRONG: 'bold',
  H1: 'bold',
  H2: 'bold',
  H3: 'bold',
  H4: 'bold',
  H5: 'bold',
  H6: 'bold',
  I: 'italic',
  EM: 'italic',
  CITE: 'italic',
  U: 'underline',
  INS: 'underline',
  S: 'strikethrough',
  STRIKE: 'strikethrough',
  DEL: 'strikethrough',
  CODE: 'code',
  PRE: 'code',
  KBD: 'code',
  SAMP: 'code',
  TT: 'code',
  BLOCKQUOTE: 'quote',
  'TG-SPOILER': 'spoiler',
};

/** What an element says about the formatting inside it: true or false, or nothing. */
type Styles = Partial<Record<MarkType, boolean>>;

/** Returns the declarations of an element's style. */
const declarationsOf = (element: HTMLElement): ReadonlyMap<string, string> =>
  new Map(
    (element.dataset.style ?? '').split(';').map((each) => {
      const [name = '', ...value] = each.split(':');
      return [name.trim().toLowerCase(), value.join(':').trim().toLowerCase()];
    }),
  );

/** Reads the style: Google Docs formats with it alone, and wraps everything into a bold element that is not bold. */
const stylesOf = (element: HTMLElement, style: ReadonlyMap<string, string>): Styles => {
  const weight = style.get('font-weight');
  const slant = style.get('font-style');
  const decoration = `${style.get('text-decoration')} ${style.get('text-decoration-line')}`;
  return {
    ...(weight !== undefined && { bold: weight.startsWith('bold') || Number(weight) >= 600 }),
    ...(slant !== undefined && { italic: /italic|oblique/.test(slant) }),
    ...(decoration.includes('underline') && { underline: true }),
    ...(decoration.includes('line-through') && { strikethrough: true }),
    ...(/monospace|courier|consolas|menlo/.test(style.get('font-family') ?? '') && { code: true }),
    ...(element.classList.contains('tg-spoiler') && { spoiler: true }),
  };
};

interface Context {
  readonly marks: Styles;
  readonly url: string | null;
  /** True inside `pre`, where white space and line feeds count. */
  readonly isPreformatted: boolean;
}

/** Collects the text and the formatting of a document. */
class Reader {
  private text = '';
  private readonly marks: Mark[] = [];
  /** Line feeds to write before the next text. */
  private owed = 0;

  read(root: Node): FormattedText {
    this.children(root, { marks: {}, url: null, isPreformatted: false });
    return normalise(this.text, this.marks);
  }

  private children(node: Node, context: Context): void {
    for (const child of node.childNodes) {
      if (child.nodeType === Node.TEXT_NODE) this.write(child.nodeValue ?? '', context);
      else if (child instanceof HTMLElement) this.element(child, context);
    }
  }

  private element(element: HTMLElement, context: Context): void {
    const tag = element.tagName.toUpperCase();
    const style = declarationsOf(element);
    if (IGNORED.has(tag) || style.get('display') === 'none' || style.get('mso-hide') === 'all') return;
    if (tag === 'BR') return this.breakLine();
    if (tag === 'IMG') return this.write(element.getAttribute('alt') ?? '', context);
    const isBlock = BLOCKS.has(tag);
    if (isBlock) this.endLine(PARAGRAPHS.has(tag) && !isInList(element));
    if (tag === 'LI') this.write(bulletOf(element), { ...context, isPreformatted: true });
    const byTag = TAGS[tag];
    const marks = { ...context.marks, ...(byTag && { [byTag]: true }), ...stylesOf(element, style) };
    const url = tag === 'A' ? linkOf(element) : context.url;
    // Links are underlined by default; that is no formatting of the author.
    if (url !== null && context.url === null) marks.underline = false;
    this.children(element, { marks, url, isPreformatted: context.isPreformatted || tag === 'PRE' });
    if (tag === 'TD' || tag === 'TH') this.write('\t', { ...context, isPreformatted: true });
    if (isBlock) this.endLine(PARAGRAPHS.has(tag) && !isInList(element));
  }

  private write(raw: string, { marks, url, isPreformatted }: Context): void {
    let words = isPreformatted ? raw.replace(/\r\n?/g, '\n') : raw.replace(/[ \t\n\r\f]+/g, ' ');
    const isAtStart = this.text === '' || this.owed > 0 || /\s$/.test(this.text);
    if (!isPreformatted && isAtStart) words = words.replace(/^ /, '');
    words = words.replace(/\u00a0/g, ' ').replace(/\p{Surrogate}/gu, '\ufffd');
    if (words === '') return;
    if (this.owed > 0 && this.text !== '') {
      this.text = this.text.replace(/[ \t]+$/, '') + '\n'.repeat(this.owed);
    }
    this.owed = 0;
    const start = this.text.length;
    this.text += words;
    const end = this.text.length;
    for (const [type, isOn] of Object.entries(marks) as [MarkType, boolean][])
      if (isOn) this.marks.push({ type, start, end });
    if (url !== null) this.marks.push({ type: 'link', start, end, url });
  }

  private breakLine(): void {
    if (this.text === '') return;
    this.owed++;
  }

  private endLine(isParagraph: boolean): void {
    if (this.text === '') return;
    this.owed = Math.max(this.owed, isParagraph ? 2 : 1);
  }
}

const isInList = (element: Element): boolean => (element.parentElement?.closest('li, td, th') ?? null) !== null;

const bulletOf = (item: HTMLElement): string => {
  const list = item.parentElement;
  if (list?.tagName !== 'OL') return '• ';
  const place = [...list.children].filter(({ tagName }) => tagName === 'LI').indexOf(item);
  return `${(Number(list.getAttribute('start') ?? 1) || 1) + place}. `;
};

/** Returns the URL of a link; null for one that a post cannot have, such as one within the page. */
const linkOf = (element: HTMLElement): string | null => {
  const href = element.getAttribute('href') ?? '';
  return /^(https?|tg):/i.test(href) ? readUrl(href) : null;
};

/** True if the HTML came from a source that formats text: not from a code editor, whose colours are no formatting. */
const isFromCodeEditor = (html: string): boolean =>
  /\bvscode|data-line-number|font-family:[^;"]*monospace[^;"]*;[^"]*white-space:\s*pre/i.test(html);

const renameStyles = (html: string): string =>
  html
    .replace(/<style\b[^]*?<\/style\s*>/gi, '')
    .replace(/<[a-z][^>]*>/gi, (tag) => tag.replace(/([\s"'])style(\s*=)/gi, '$1data-style$2'));

/**
 * Reads formatted text from HTML, as web pages, Word, Google Docs and Telegram put it on the clipboard. What a post
 * cannot have is dropped; headings become bold lines.
 */
export const fromHtml = (html: string): FormattedText => {
  if (html.trim() === '' || isFromCodeEditor(html)) return NO_TEXT;
  // Nothing in a parsed document is loaded or run. The page's policy refuses styles even there, so they are renamed.
  const { body } = new DOMParser().parseFromString(renameStyles(html), 'text/html');
  const value = new Reader().read(body);
  const trimmed = value.text.trimEnd();
  return normalise(
    trimmed,
    value.marks.flatMap((mark) =>
      mark.start < trimmed.length ? [{ ...mark, end: Math.min(mark.end, trimmed.length) }] : [],
    ),
  );
};
