/** Maximum number of characters buffered for stderr; a line that would exceed the limit is dropped (ADR-89). */
const MAX_WAITING = 1_048_576;
/** How long an exiting process waits for its log to be read, in ms. */
const FLUSH_MS = 1_000;

let droppedLines = 0;

/** Returns the number of log lines that this process has dropped because nothing read its stderr. */
export const countDroppedLogLines = (): number => droppedLines;

/**
 * Writes log lines to stderr without ever waiting for the reader (ADR-89). Normally writes each line at once. If a pipe
 * is full, buffers lines in memory up to a limit, then drops and counts them.
 */
export class LogOutput {
  private reportedLines = droppedLines;

  /** @param reportDropped logs how many lines were dropped; called when the reader has caught up */
  constructor(private readonly reportDropped: (lines: number) => void) {
    process.stderr.on('error', () => undefined); // if the reader closes it, the process continues without a log
    process.stderr.on('drain', () => this.report());
  }

  write(line: string): void {
    if (process.stderr.writableLength + line.length > MAX_WAITING) droppedLines += 1;
    else process.stderr.write(line);
  }

  private report(): void {
    const lines = droppedLines - this.reportedLines;
    this.reportedLines = droppedLines;
    if (lines > 0) this.reportDropped(lines);
  }
}

/** Exits once the log is written, or after a second if nothing reads it. */
export const exitAfterLog = (code: number): void => {
  setTimeout(() => process.exit(code), FLUSH_MS);
  process.stderr.write('', () => process.exit(code));
};
