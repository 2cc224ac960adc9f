import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import type { Processing } from '../../../domain/project/processing.js';
import { PreviewBudget } from '../../../limits/preview-budget.js';
import { buildProgram, HelperProcess } from '../../../media/helper-process.js';
import { LOCAL_SEARCH, PATTERN_PROGRAM_PARTS, type PatternSearch, programSize } from '../../../processing/pattern.js';
import { type PatternAnswer, patternProgram, type PatternQuestion } from '../../../processing/pattern-program.js';

/** Maximum cost of a search that runs on this thread, in pattern instructions times UTF-16 units; takes about 2 ms. */
const MOST_LOCAL_STEPS = 50_000;
const TIMEOUT_MS = 10_000;

/** The owner who pays for a preview, and the error to throw when the owner's preview budget is used up. */
export interface PreviewPayer {
  readonly ownerId: string;
  readonly reject: (retryAfter: number) => Error;
}

/**
 * Runs the slow pattern searches of previews in a helper process, so that one owner's patterns do not delay another
 * owner's requests (ADR-221). A helper runs one search at a time, serving owners in turn.
 */
@Injectable()
export class PreviewPatterns implements OnModuleDestroy {
  private readonly library = import.meta.resolve('re2js');
  private readonly helper = new HelperProcess<PatternQuestion, PatternAnswer>({
    program: buildProgram(patternProgram, this.library, ...PATTERN_PROGRAM_PARTS),
    libraries: [this.library],
    timeoutMs: TIMEOUT_MS,
    maxHeapMb: 128,
    maxMemoryMb: 1_024,
  });

  constructor(private readonly budget: PreviewBudget) {}

  /** Creates the search for one preview. It runs a slow pattern only once per text. */
  open(payer: PreviewPayer): PreviewSearch {
    return new PreviewSearch((question) =>
      this.budget.spendElsewhere(payer.ownerId, payer.reject, () => this.ask(question, payer.ownerId)),
    );
  }

  onModuleDestroy(): void {
    this.helper.close();
  }

  /** Searches in the helper, or on this thread if no helper can run. */
  private async ask(question: PatternQuestion, ownerId: string): Promise<PatternAnswer> {
    const reply = await this.helper.ask(question, undefined, ownerId);
    if ('answer' in reply) return reply.answer;
    const startedAt = performance.now();
    const { pattern, text } = question;
    const found = question.isLast ? LOCAL_SEARCH.findLast(pattern, text) : LOCAL_SEARCH.matches(pattern, text);
    return { found, tookMs: performance.now() - startedAt };
  }
}

/** The pattern searches of one preview. */
export class PreviewSearch implements PatternSearch {
  private readonly asked = new Map<string, Promise<void>>();
  private readonly found = new Map<string, PatternAnswer['found']>();

  constructor(private readonly ask: (question: PatternQuestion) => Promise<PatternAnswer>) {}

  /** Runs a project's slow searches. @throws the payer's error if the owner's preview budget is used up */
  async searchAhead(text: string, { filters = [], footer }: Processing, platform: string): Promise<void> {
    for (const { mode, pattern, platforms } of filters) {
      if (pattern === undefined || (platforms && !platforms.includes(platform))) continue;
      await this.askOnce({ pattern, text, isLast: false });
      // Publishing would not evaluate the remaining filters.
      if (mode === 'exclude' && this.found.get(keyOf({ pattern, text, isLast: false })) === true) return;
    }
    if (footer?.pattern !== undefined) await this.askOnce({ pattern: footer.pattern, text, isLast: true });
  }

  matches(pattern: string, text: string): boolean | null {
    const found = this.found.get(keyOf({ pattern, text, isLast: false }));
    return found === undefined ? LOCAL_SEARCH.matches(pattern, text) : (found as boolean | null);
  }

  findLast(pattern: string, text: string): number | null {
    const found = this.found.get(keyOf({ pattern, text, isLast: true }));
    return found === undefined ? LOCAL_SEARCH.findLast(pattern, text) : (found as number | null);
  }

  private askOnce(question: PatternQuestion): Promise<void> {
    const { pattern, text } = question;
    if (programSize(pattern) * text.length <= MOST_LOCAL_STEPS) return Promise.resolve();
    const key = keyOf(question);
    const asked = this.asked.get(key) ?? this.ask(question).then(({ found }) => void this.found.set(key, found));
    this.asked.set(key, asked);
    return asked;
  }
}

const keyOf = ({ pattern, text, isLast }: PatternQuestion): string => JSON.stringify([pattern, text, isLast]);
