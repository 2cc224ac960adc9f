const clusters = new Intl.Segmenter('und', { granularity: 'grapheme' });

/** Finds the boundaries of grapheme clusters (characters as readers see them) in text. */
export class Graphemes {
  private segments: Intl.Segments | undefined;

  constructor(private readonly text: string) {}

  /** Returns the start of the cluster around `at`, or `at` itself if it is between clusters or at the end. */
  startOf(at: number): number {
    if (at === 0 || at >= this.text.length) return at;
    const [before, here] = [this.text.charCodeAt(at - 1), this.text.charCodeAt(at)];
    if (neverCombines(before) && neverCombines(here) && here !== LINE_FEED) return at;
    this.segments ??= clusters.segment(this.text);
    return this.segments.containing(at)!.index;
  }

  /** Returns the end of the cluster around `at`, or `at` itself if it is between clusters. */
  endOf(at: number): number {
    const start = this.startOf(at);
    return start === at ? at : start + this.segments!.containing(at)!.segment.length;
  }

  /** True if an offset is between two clusters. */
  isEdge(at: number): boolean {
    return this.startOf(at) === at;
  }
}

const LINE_FEED = 0x0a;

/** True for units that never combine (Latin, Greek, Cyrillic); most text needs no segmentation. */
const neverCombines = (unit: number): boolean =>
  unit < 0x300 || (unit >= 0x370 && unit < 0x530 && (unit < 0x483 || unit > 0x489));
