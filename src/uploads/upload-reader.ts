import { Inject, Injectable } from '@nestjs/common';
import { media } from '../domain/media/media.decider.js';
import { AggregateStore } from '../event-store/aggregate-store.js';
import type { UploadSource } from '../media/media-cache.js';
import { UPLOAD_SOURCE_MESSAGES } from '../media/messages.js';
import { FetchError } from '../outbound-http/answer-receiver.js';
import { FileGone, StoreUnavailable } from './file-store.js';
import { UploadedFiles } from './uploaded-files.js';

/** Reads uploaded files for publishing: a store that is down counts as a media host that is down (D-20). */
@Injectable()
export class UploadReader implements UploadSource {
  constructor(
    @Inject(AggregateStore) private readonly aggregates: Pick<AggregateStore, 'loadAggregate'>,
    @Inject(UploadedFiles) private readonly files: Pick<UploadedFiles, 'copyToDisk'>,
  ) {}

  async find(id: string) {
    const { state } = await this.aggregates.loadAggregate(media, id);
    if (!state || state.deleted) throw gone();
    const copyTo = async (path: string, signal: AbortSignal): Promise<void> => {
      await this.files.copyToDisk(state, path, signal).catch((error: unknown) => {
        if (error instanceof FileGone) throw gone(error);
        if (error instanceof StoreUnavailable)
          throw new FetchError('unreachable', UPLOAD_SOURCE_MESSAGES.storeDown, { isPermanent: false, cause: error });
        throw error;
      });
    };
    return { sizeBytes: state.bytes, copyTo };
  }
}

const gone = (cause?: unknown): FetchError =>
  new FetchError('gone', UPLOAD_SOURCE_MESSAGES.gone, { isPermanent: true, cause });
