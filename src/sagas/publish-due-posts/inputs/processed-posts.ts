import { project, type ProjectState } from '../../../domain/project/project.decider.js';
import type { Processing } from '../../../domain/project/processing.js';
import { Remembered } from '../../../event-store/aggregate-cache.js';
import type { Loaded, Streams } from '../../../event-store/aggregate-store.js';
import { type Processed, processPost } from '../../../processing/process-post.js';
import type { Translate } from '../../../processing/translation/translation.js';
import type { KeptTranslations } from './stored-translations.js';
import type { Rooms } from '../claiming/platform-concurrency.js';
import type { Unprocessed } from '../attempt/publication-attempt.js';

/** A post as its project wants it on one network. */
export interface ProcessedPost {
  readonly processed: Processed;
  /** Of the project, as it was when it said so. */
  readonly projectRevision: string;
  /** Whether a service was asked, which takes time: what was known of the channel may be out of date. */
  readonly tookTime: boolean;
}

/**
 * Posts as their projects want them (D-28). What a project says counts when the first attempt has a text; the attempts
 * after it, and what a look-up compares, keep to that, whatever is changed meanwhile.
 */
export class ProcessedPosts {
  private readonly projects: Remembered<ProjectState>;

  constructor(
    private readonly streams: Streams,
    private readonly translations: KeptTranslations,
    private readonly rooms: Rooms,
  ) {
    this.projects = new Remembered(streams, project);
  }

  /** A project as it stands; to be read along with what else a publication needs. */
  project(id: string): Promise<Loaded<ProjectState>> {
    return this.projects.load(id);
  }

  /** @param current the project of the publication, as it stands */
  async of(
    { row, payload, channel, origin, ending, loaded }: Unprocessed,
    current: Loaded<ProjectState>,
  ): Promise<ProcessedPost> {
    const settled = loaded.state.projectRevision ?? String(current.revision);
    const { state } =
      settled === String(current.revision)
        ? current
        : await this.streams.loadAt(project, row.project_id, BigInt(settled));
    // Events hold what passed the checks of the management API, so what was stored is Processing.
    const processing = (state?.processing ?? {}) as unknown as Processing;
    const ask = this.translations.of(row.post_id, origin, ending.stop);
    // Who waits for a service takes up no room of the network's.
    const translate: Translate = (content, how) => this.rooms.outside(channel.platform, ask(content, how));
    const processed = await processPost(payload, processing, channel.platform, translate);
    return { processed, projectRevision: settled, tookTime: processing.translation !== undefined };
  }
}
