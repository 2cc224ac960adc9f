/** How often the same complaint is told again, ms. */
const TOLD_AGAIN_MS = 30_000;

/** Something that fails again and again in the same way: a log need not tell of it each time. */
export class Complaint {
  private words: string | null = null;
  private toldAt = 0;

  /** True where these words are new, or were told 30 s ago or earlier. @param now ms, by any clock that only goes on */
  isNews(words: string, now = performance.now()): boolean {
    if (words === this.words && now - this.toldAt < TOLD_AGAIN_MS) return false;
    this.words = words;
    this.toldAt = now;
    return true;
  }

  /** It works again: the next failure is news. */
  over(): void {
    this.words = null;
  }
}
