import { type Log, silentLog } from '../kernel/log.js';
import { buildProgram, HelperProcess, type HelperProgram } from './helper.js';
import { type Inspection, type InspectionRequest, inspectorProgram } from './inspector-program.js';

/** Options for an {@link Inspector}. */
export interface InspectorOptions {
  /** Time limit for one file, in ms; default 1 s. */
  readonly timeoutMs?: number;
  /** Memory limit of the WebAssembly code that parses videos; default 256 MB. */
  readonly maxWasmBytes?: number;
  /** Replaces the parsers; for tests. */
  readonly program?: HelperProgram<InspectionRequest, Inspection>;
  readonly log?: Log;
}

/** Determines the type and facts of files from some of their ranges, one file at a time, in a helper process. */
export class Inspector {
  private readonly helper: HelperProcess<InspectionRequest, Inspection>;
  private readonly log: Log;

  constructor({ timeoutMs = 1_000, maxWasmBytes = 256 * 1_048_576, program, log = silentLog }: InspectorOptions = {}) {
    this.helper = new HelperProcess({
      program: program ?? buildProgram(inspectorProgram, LIBRARIES, maxWasmBytes),
      libraries: Object.values(LIBRARIES),
      timeoutMs,
      maxHeapMb: 128,
      maxMemoryMb: 1_024,
    });
    this.log = log;
  }

  /**
   * @param signal skips the file if it aborts before the file's turn
   * @param owner owners are served in turn
   * @returns null if a parser failed or took too long, or the request was withdrawn: nothing is certain
   */
  async inspect(question: InspectionRequest, signal?: AbortSignal, owner?: string): Promise<Inspection | null> {
    const reply = await this.helper.ask(question, signal, owner);
    if ('answer' in reply) return reply.answer;
    if ('withdrawn' in reply) return null;
    const what = reply.died ? 'the process that parses media is restarted' : 'a media file could not be parsed';
    this.log.warn({ reason: reply.failed }, what);
    return null;
  }

  /** Kills the process. Waiting calls return null. */
  close(): void {
    this.helper.close();
  }
}

const LIBRARIES = {
  fileType: import.meta.resolve('file-type'),
  imageSize: import.meta.resolve('image-size'),
  mediaInfo: import.meta.resolve('mediainfo.js'),
};
