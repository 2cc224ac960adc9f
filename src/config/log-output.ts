/** Maximum number of characters that wait for a reader of stderr; a line that would exceed it is dropped (ADR-89). */
const MAX_WAITING = 1_048_576;
/** How long an exiting process waits for a reader of its log, in ms. */
const FLUSH_MS = 1_000;

let droppedLines = 0;

/** Returns the number of log lines that this process has dropped because nothing read its stderr. */
export const countDroppedLogLines = (): number => droppedLines;

/**
 * Writes a logger's lines to stderr, without ever waiting for its reader (ADR-89). Writes each line at once. Only if a
 * pipe is full do lines wait in memory, up to a limit; further lines are dropped and counted.
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

/** Exits once the log is written, or after a second if its reader does not read it. */
export const exitAfterLog = (code: number): void => {
  setTimeout(() => process.exit(code), FLUSH_MS);
  process.stderr.write('', () => process.exit(code));
};
