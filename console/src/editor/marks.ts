/** Types of formatting that the editor offers. */
export type MarkType = 'bold' | 'italic' | 'underline' | 'strikethrough' | 'spoiler' | 'code' | 'link' | 'quote';

/** Types that can overlap each other. */
export const STYLES = ['bold', 'italic', 'underline', 'strikethrough', 'spoiler'] as const;

/** A range with formatting, in UTF-16 code units; `end` is exclusive. */
export interface Mark {
  readonly type: MarkType;
  readonly start: number;
  readonly end: number;
  /** Address of a link. */
  readonly url?: string;
}

/**
 * Text with its formatting. Lines are separated by line feeds. Marks are normalised: no mark is empty or splits a
 * character; marks of the same type do not touch, except links to different addresses; quotes cover whole lines; code
 * has no other formatting except a quote around it.
 */
export interface FormattedText {
  readonly text: string;
  readonly marks: readonly Mark[];
}

/** Formatting toggled at the caret: the types to turn on (true) or off (false) for the text that is typed next. */
export type Pending = Readonly<Partial<Record<MarkType, boolean>>>;
