import { reject, type Rejection } from '../../kernel/result.js';
import { type VersionRefusal, VersionsRefused } from '../../projections/engine/rebuild/rebuilds.js';
import { COMMAND_MESSAGES } from '../messages.js';

const REJECTIONS: Readonly<Record<VersionRefusal, Rejection>> = {
  other_program: reject('other_program', COMMAND_MESSAGES.otherProgram),
  candidate_exists: reject('candidate_exists', COMMAND_MESSAGES.candidateExists),
  no_candidate: reject('no_candidate', COMMAND_MESSAGES.noCandidate),
  deployed: reject('candidate_deployed', COMMAND_MESSAGES.candidateDeployed),
  no_previous: reject('no_previous', COMMAND_MESSAGES.noPrevious),
  not_level: reject('not_level', COMMAND_MESSAGES.notLevel),
  behind: reject('not_level', COMMAND_MESSAGES.notLevel),
  in_use: reject('views_in_use', COMMAND_MESSAGES.viewsInUse),
};

/** Awaits a change to a projection's versions; returns a rejection if the change is refused. */
export const orRejection = async <T>(change: Promise<T>): Promise<T | Rejection> => {
  try {
    return await change;
  } catch (error) {
    if (error instanceof VersionsRefused) return REJECTIONS[error.refusal];
    throw error;
  }
};
