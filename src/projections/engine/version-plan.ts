/** A version of a read model: its tables, and the code that fills them. */
export interface Version {
  readonly version: number;
  readonly code: number;
}

/** A version that is being built alongside the live version. */
export interface Candidate extends Version {
  /** The job that decides whether it goes live; null if it goes live automatically, because its code is newer. */
  readonly job: string | null;
}

/** The versions of one read model (ADR-101). */
export interface Versions {
  readonly live: Version;
  readonly candidate: Candidate | null;
  /** The previously live version, kept for processes with the earlier code and for a rollback. */
  readonly previous: Version | null;
}

/** Returns the versions that a process fills: all that match its code. */
export const ownVersions = ({ live, candidate, previous }: Versions, code: number): number[] =>
  [live, candidate, previous].filter((one) => one?.code === code).map((one) => one!.version);

/**
 * True if a process must build a candidate: no version has its code, and its code is newer than any version's. An older
 * process therefore never replaces a newer version, and a previously live version is not built again.
 */
export const needsCandidate = (versions: Versions, code: number): boolean =>
  [versions.live, versions.candidate, versions.previous].every((one) => one === null || one.code < code);

/** Returns the version that a process reads: the live version, unless only the previous version has its code. */
export const versionToRead = ({ live, previous }: Versions, code: number): Version =>
  live.code !== code && previous?.code === code ? previous : live;
