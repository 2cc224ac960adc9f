import { forgetLines, readSelection, readText, scrollToCaret, select, showText, toOffset } from './dom-text.js';
import {
  activeTypes,
  findLink,
  type FormattedText,
  insertFormatted,
  leaveQuote,
  type Mark,
  type MarkType,
  type Pending,
  replaceText,
  setLink,
  toggleMark,
} from './formatted-text.js';
import { fromHtml } from './from-html.js';
import { findChange, type Moment, UndoHistory } from './undo-history.js';

/** Editor callbacks. */
export interface EditingListener {
  readonly onChange: (value: FormattedText) => void;
  /** Called when the caret or the formatting at it changes. */
  readonly onActive: (types: ReadonlySet<MarkType>) => void;
}

const isUrl = (text: string): boolean => /^https?:\/\/\S+$/i.test(text);

/**
 * Edits formatted text in an editable element. Makes most changes itself and renders the result; leaves input methods
 * and autocorrection to the browser and reads the result back.
 */
export class TextEditing {
  private readonly history = new UndoHistory();
  private selection = { start: 0, end: 0 };
  private pending: Pending = {};
  private isComposing = false;
  private isPointing = false;
  private readonly stop = new AbortController();

  constructor(
    private readonly root: HTMLElement,
    private value: FormattedText,
    private readonly listener: EditingListener,
  ) {
    const { signal } = this.stop;
    root.addEventListener('beforeinput', (event) => this.onBeforeInput(event), { signal });
    root.addEventListener('input', () => this.readBack(), { signal });
    root.addEventListener('compositionstart', () => (this.isComposing = true), { signal });
    root.addEventListener('compositionend', () => setTimeout(() => this.endComposition()), { signal });
    // A click places the caret anyway. When focus comes from the keyboard or a dialog, restore the selection.
    root.addEventListener('pointerdown', () => (this.isPointing = true), { signal });
    document.addEventListener('pointerup', () => (this.isPointing = false), { signal });
    root.addEventListener('focus', () => !this.isPointing && this.showSelection(), { signal });
    root.addEventListener('dragstart', (event) => event.preventDefault(), { signal });
    document.addEventListener('selectionchange', () => this.onSelectionChange(), { signal });
    showText(root, value);
  }

  /** Removes the listeners. */
  close(): void {
    this.stop.abort();
  }

  /** Replaces the text programmatically, for example when a draft is cleared. The change can be undone. */
  setValue(value: FormattedText): void {
    if (value === this.value) return;
    this.history.note(this.now(), '', Date.now());
    const end = Math.min(this.selection.end, value.text.length);
    this.show({ value, start: end, end });
  }

  /** Toggles formatting for the selection or, without a selection, for the text typed next. */
  toggle(type: Exclude<MarkType, 'link'>): void {
    const { start, end } = this.selection;
    if (start < end || (type === 'quote' && this.lineHasText())) {
      return this.change(toggleMark(this.value, start, end, type), start, end, '');
    }
    const isOn = activeTypes(this.value, start, end, this.pending).has(type);
    this.pending = { ...this.pending, [type]: !isOn };
    this.listener.onActive(activeTypes(this.value, start, end, this.pending));
    this.focus();
  }

  /** Returns the selected or linked text, and the link there, if any. */
  readLink(): { readonly words: string; readonly link: Mark | undefined } {
    const link = findLink(this.value, this.selection.start, this.selection.end);
    const { start, end } = this.linkRange(link);
    return { words: this.value.text.slice(start, end), link };
  }

  /**
   * Links the selection or changes the link at the caret, and replaces the link text. A null `url` removes the link.
   */
  link(words: string, url: string | null): void {
    const { start, end } = this.linkRange(findLink(this.value, this.selection.start, this.selection.end));
    const isSame = words === this.value.text.slice(start, end);
    const worded = isSame ? this.value : replaceText(this.value, start, end, words);
    const wordsEnd = isSame ? end : start + words.length;
    this.change(setLink(worded, start, wordsEnd, url), wordsEnd, wordsEnd, '');
  }

  /** Moves the focus to the text and restores the selection. */
  focus(): void {
    this.root.focus({ preventScroll: true });
    this.showSelection();
  }

  /** Moves the focus to the end of the text. */
  focusEnd(): void {
    const { length } = this.value.text;
    this.selection = { start: length, end: length };
    this.focus();
  }

  undo(): void {
    const moment = this.history.undo(this.now());
    if (moment) this.show(moment);
  }

  redo(): void {
    const moment = this.history.redo(this.now());
    if (moment) this.show(moment);
  }

  private showSelection(): void {
    select(this.root, this.selection.start, this.selection.end);
  }

  private linkRange(link: Mark | undefined): { readonly start: number; readonly end: number } {
    return link && this.selection.start === this.selection.end ? link : this.selection;
  }

  private now(): Moment {
    return { value: this.value, ...this.selection };
  }

  private lineHasText(): boolean {
    const { text } = this.value;
    const { start } = this.selection;
    const lineStart = text.lastIndexOf('\n', start - 1) + 1;
    return text.slice(lineStart).search(/\n|$/) > 0;
  }

  private onBeforeInput(event: InputEvent): void {
    if (this.isComposing || event.inputType === 'insertCompositionText') return;
    this.selection = readSelection(this.root) ?? this.selection;
    const { start, end } = this.readTarget(event);
    const { inputType } = event;
    if (!event.cancelable) return;
    if (inputType === 'historyUndo') this.undo();
    else if (inputType === 'historyRedo') this.redo();
    else if (inputType === 'insertParagraph' || inputType === 'insertLineBreak') this.insertLine(start, end);
    else if (inputType === 'insertFromPaste' || inputType === 'insertFromDrop') this.paste(event, start, end);
    else if (inputType.startsWith('insert')) {
      this.insert(event.data ?? event.dataTransfer?.getData('text/plain') ?? '', start, end, 'type');
    } else if (inputType.startsWith('delete')) this.insert('', start, end, 'delete');
    // Blocks the browser's own edit. Its formatting commands, for example, would bypass the marks.
    event.preventDefault();
  }

  /**
   * Returns the range that an input event replaces. The browser determines it, because it knows word and grapheme
   * boundaries.
   */
  private readTarget(event: InputEvent): { readonly start: number; readonly end: number } {
    const [range] = event.getTargetRanges();
    if (!range || !this.root.contains(range.startContainer)) return this.selection;
    const start = toOffset(this.root, range.startContainer, range.startOffset);
    const end = toOffset(this.root, range.endContainer, range.endOffset);
    return { start: Math.min(start, end), end: Math.max(start, end) };
  }

  private insertLine(start: number, end: number): void {
    const left = start === end ? leaveQuote(this.value, start) : null;
    if (left) this.change(left, start, start, '');
    else this.insert('\n', start, end, '');
  }

  /** Pastes text, with its formatting if it has any. A URL pasted over selected text turns it into a link. */
  private paste({ dataTransfer }: InputEvent, start: number, end: number): void {
    const text = dataTransfer?.getData('text/plain') ?? '';
    const words = this.value.text.slice(start, end);
    if (isUrl(text.trim()) && words !== '' && !isUrl(words) && !words.includes('\n')) {
      return this.change(setLink(this.value, start, end, text.trim()), end, end, '');
    }
    const formatted = fromHtml(dataTransfer?.getData('text/html') ?? '');
    if (formatted.marks.length > 0) {
      const value = insertFormatted(this.value, start, end, formatted);
      const caret = end + value.text.length - this.value.text.length;
      return this.change(value, caret, caret, '');
    }
    if (text !== '') this.insert(text, start, end, '');
  }

  private insert(text: string, start: number, end: number, kind: string): void {
    if (text === '' && start === end) return;
    const value = replaceText(this.value, start, end, text, text === '' ? {} : this.pending);
    const caret = end + value.text.length - this.value.text.length;
    this.change(value, caret, caret, text.includes('\n') ? '' : kind);
  }

  private change(value: FormattedText, start: number, end: number, kind: string): void {
    this.history.note(this.now(), kind, Date.now());
    this.show({ value, start, end });
  }

  private show({ value, start, end }: Moment): void {
    const isChanged = value !== this.value;
    this.value = value;
    this.pending = {};
    this.selection = { start, end };
    showText(this.root, value);
    // Without the focus, the editor must not take over the page's selection.
    if (document.activeElement === this.root) {
      this.showSelection();
      scrollToCaret(this.root);
    }
    if (isChanged) this.listener.onChange(value);
    this.listener.onActive(activeTypes(value, start, end));
  }

  /** Reads back changes that the browser made itself. */
  private readBack(): void {
    const text = readText(this.root);
    const caret = readSelection(this.root)?.end ?? text.length;
    const change = findChange(this.value.text, text, caret);
    if (change) {
      this.history.note(this.now(), 'type', Date.now());
      const { start, end, replacement } = change;
      this.value = replaceText(this.value, start, end, replacement, this.pending);
      this.selection = { start: caret, end: caret };
      this.listener.onChange(this.value);
    }
    if (!this.isComposing) this.showAgain();
  }

  private endComposition(): void {
    this.isComposing = false;
    this.readBack();
  }

  private showAgain(): void {
    const { start, end } = readSelection(this.root) ?? this.selection;
    forgetLines(this.root);
    this.show({ value: this.value, start, end });
  }

  private onSelectionChange(): void {
    if (this.isComposing) return;
    const selection = readSelection(this.root);
    if (!selection || document.activeElement !== this.root) return;
    if (selection.start === this.selection.start && selection.end === this.selection.end) return;
    this.selection = selection;
    this.pending = {};
    this.history.endStep();
    this.listener.onActive(activeTypes(this.value, selection.start, selection.end));
  }
}
