const clusters = new Intl.Segmenter('und', { granularity: 'grapheme' });

/** Where what readers see as one character begins and ends in a text. */
export class Graphemes {
  private segments: Intl.Segments | undefined;

  constructor(private readonly text: string) {}

  /** Where the character begins that has this unit in it; `at` itself between two characters and at the text's end. */
  startOf(at: number): number {
    if (at === 0 || at >= this.text.length) return at;
    const [before, here] = [this.text.charCodeAt(at - 1), this.text.charCodeAt(at)];
    if (standsAlone(before) && standsAlone(here) && here !== LINE_FEED) return at;
    this.segments ??= clusters.segment(this.text);
    return this.segments.containing(at)!.index;
  }

  /** Where the character ends that {@link startOf} finds to have begun before; `at` itself where none has. */
  endOf(at: number): number {
    const start = this.startOf(at);
    return start === at ? at : start + this.segments!.containing(at)!.segment.length;
  }

  /** Whether a place is between two characters. */
  isEdge(at: number): boolean {
    return this.startOf(at) === at;
  }
}

const LINE_FEED = 0x0a;

/** Latin, Greek and Cyrillic letters join nothing: most text needs no search for its characters' edges. */
const standsAlone = (unit: number): boolean =>
  unit < 0x300 || (unit >= 0x370 && unit < 0x530 && (unit < 0x483 || unit > 0x489));
