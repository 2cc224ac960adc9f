import { project } from '../../domain/project/project.decider.js';
import type { Processing } from '../../domain/project/processing.js';
import type { Streams } from '../../event-store/streams.js';
import type { PublishPayload } from '../../payload/payload.js';
import { type Processed, processPost } from '../../processing/process-post.js';
import type { Translate } from '../../processing/translation/translation.js';

/** A post as its project wants it on one network. */
export interface ProcessedPost {
  readonly processed: Processed;
  /** Of the project, as it was when it said so. */
  readonly projectRevision: string;
}

/**
 * Posts as their projects want them. What a project says counts at the first attempt that has a text: later attempts,
 * and the later steps of a post, keep to it, whatever is changed meanwhile (D-28).
 */
export class ProcessedPosts {
  constructor(private readonly streams: Streams) {}

  /** @param settled the project's revision that an earlier attempt kept to; null: the project as it is */
  async of(
    payload: PublishPayload,
    { projectId, platform, settled }: { projectId: string; platform: string; settled: string | null },
    translate: Translate,
  ): Promise<ProcessedPost> {
    const upTo = settled === null ? undefined : BigInt(settled);
    const { state, revision } = await this.streams.load(project, projectId, upTo);
    // Events hold what passed the checks of the management API, so what was stored is Processing.
    const processing = (state?.processing ?? {}) as unknown as Processing;
    const processed = await processPost(payload, processing, platform, translate);
    return { processed, projectRevision: String(revision) };
  }
}
