import { silentLog, type Log } from '../kernel/log.js';
import { HelperProcess, type HelperProgram, programOf } from './helper-process.js';
import { inspectorProgram, type Inspection, type InspectorQuestion } from './inspector-program.js';

/** How an {@link Inspector} is set up. */
export interface InspectorOptions {
  /** Milliseconds that one file may keep the process busy; 1 s. */
  readonly timeoutMs?: number;
  /** What WebAssembly, in which films are parsed, may take; 256 MB. */
  readonly maxWasmBytes?: number;
  /** In place of the parsers; for tests. */
  readonly program?: HelperProgram<InspectorQuestion, Inspection>;
  readonly log?: Log;
}

/** Says what files are, from stretches of them; one file at a time, in a process of its own. */
export class Inspector {
  private readonly helper: HelperProcess<InspectorQuestion, Inspection>;
  private readonly log: Log;

  constructor({ timeoutMs = 1_000, maxWasmBytes = 256 * 1_048_576, program, log }: InspectorOptions = {}) {
    this.helper = new HelperProcess({ program: program ?? parsers(maxWasmBytes), timeoutMs, maxHeapMb: 128 });
    this.log = log ?? silentLog;
  }

  /**
   * @param signal takes a file out of the queue.
   * @returns null where a parser failed on it, took too long, or where the signal was first: nothing is certain then.
   */
  async inspect(question: InspectorQuestion, signal?: AbortSignal): Promise<Inspection | null> {
    const reply = await this.helper.ask(question, signal);
    if ('answer' in reply) return reply.answer;
    if ('withdrawn' in reply) return null;
    const what = reply.died ? 'the process that parses media is started anew' : 'a media file could not be parsed';
    this.log.warn({ reason: reply.failed }, what);
    return null;
  }

  /** Ends the process. Files that wait are answered with null. */
  close(): void {
    this.helper.close();
  }
}

const parsers = (maxWasmBytes: number): HelperProgram<InspectorQuestion, Inspection> => {
  const fileType = import.meta.resolve('file-type');
  const imageSize = import.meta.resolve('image-size');
  const mediaInfo = import.meta.resolve('mediainfo.js');
  return programOf(inspectorProgram, { fileType, imageSize, mediaInfo }, maxWasmBytes);
};
