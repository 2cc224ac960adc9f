import { Injectable } from '@nestjs/common';
import { findMediaProblem } from '../../media/media-rules.js';
import type { ProbeReport } from '../../media/probe.js';
import type { PublishPayload } from '../../payload/payload.js';
import { listUploadIds, mapUploads } from '../../payload/uploads.js';
import { type UploadedFile, UploadedFiles } from '../../uploads/uploaded-files.js';
import type { Problem } from '../../validation/problem-list.js';
import { aboutField } from '../../validation/wording.js';
import { UPLOAD_PROBLEMS } from './messages.js';

/** A payload whose uploads have been looked up. */
export interface CheckedUploads<Payload> {
  /** With the types of its uploads. */
  readonly payload: Payload;
  readonly problems: readonly Problem[];
  /** 422 if an upload does not exist, whatever else is wrong (D-43). */
  readonly status: 400 | 422;
  readonly files: ReadonlyMap<string, UploadedFile>;
}

/** Looks up the uploads that posts name (D-90). An id of another owner, a deleted and an expired one are all unknown. */
@Injectable()
export class UploadCheck {
  constructor(private readonly uploads: UploadedFiles) {}

  async check<Payload extends Pick<PublishPayload, 'media' | 'overrides'>>(
    ownerId: string,
    sent: Payload,
  ): Promise<CheckedUploads<Payload>> {
    const ids = listUploadIds(sent);
    if (ids.length === 0) return { payload: sent, problems: [], status: 400, files: new Map() };
    const files = await this.uploads.findUsable(ownerId, ids);
    const problems: Problem[] = [];
    const payload = mapUploads(sent, ({ type, id }, path) => {
      const file = files.get(id);
      if (!file) {
        const message = aboutField(`${path}.id`, UPLOAD_PROBLEMS.unknown);
        problems.push({ path: `${path}.id`, code: 'unknown_media', message });
        return { type, id };
      }
      const wrong = type && type !== file.type && findMediaProblem(type, examinationOf(file));
      if (wrong) problems.push({ path: `${path}.type`, code: wrong.code, message: aboutField(path, wrong.predicate) });
      return { type: file.type, id };
    });
    const isUnknown = problems.some(({ code }) => code === 'unknown_media');
    return { payload, problems, status: isUnknown ? 422 : 400, files };
  }
}

/** Reports on an upload as on a probed file, without a request. */
export const reportOfUpload = (file: UploadedFile): ProbeReport => {
  const { id, type, url, filename, bytes: sizeBytes, mime, width, height, durationSeconds } = file;
  const facts = {
    ...(width !== null && height !== null && { width, height }),
    ...(durationSeconds !== null && { durationSeconds }),
  };
  return { id, type, url, filename, sizeBytes, mime, ...facts, ok: true, inconclusive: false };
};

const examinationOf = ({ extension, mime, bytes }: UploadedFile) => ({
  sizeBytes: bytes,
  inspection: { extension, mime },
  isComplete: false,
});
