/** Work that a process does from startup until it is stopped. */
export interface BackgroundTask {
  start(): void;
  /** Stops the work cleanly; resolves once it has stopped. */
  stop(): Promise<void>;
}
