/** Work that a process does from its start until it is stopped. */
export interface BackgroundTask {
  start(): void;
  /** Ends the work cleanly; resolves when it has ended. */
  stop(): Promise<void>;
}
