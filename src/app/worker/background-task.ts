/** Work that a process does from its start until it is stopped. */
export interface BackgroundTask {
  start(): void;
  /** Ends the work in order; resolves when it has ended. */
  stop(): Promise<void>;
}
