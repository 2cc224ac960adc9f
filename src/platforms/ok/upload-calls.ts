import { fileNameOf } from '../../media/file-name.js';
import type { ProbedMedium, ShownCall, Step } from '../publisher.js';
import { answered, type MethodCall, shown, uploadTo } from '../shown-calls.js';

/** Where a photo of a group goes. */
export const photoAddress = (gid: string): MethodCall => ({
  method: 'photosV2.getUploadUrl',
  parameters: { gid, count: '1' },
});

/** Where a video goes; with a `gid` it would publish itself (networks.md §1). @param size bytes */
export const videoAddress = (name: string, size: string): MethodCall => ({
  method: 'video.getUploadUrl',
  parameters: { file_name: name, file_size: size },
});

/** Lets a video that was uploaded be shown. */
export const videoRelease = (vid: string): MethodCall => ({ method: 'video.update', parameters: { vid } });

/**
 * The calls of a step, with `<…>` for what only an earlier one, or the file, tells (D-38).
 * @param media the post's, as far as they are known
 */
export const shownCalls = (step: Step, media: readonly ProbedMedium[]): readonly ShownCall[] => {
  if (step.visible) return [step];
  const { field, index, source } = step.request['upload'] as { field: string; index: number; source: string };
  const isVideo = step.method === 'video.getUploadUrl';
  const address = isVideo ? addressOf(media[index], source) : photoAddress(step.request['gid'] as string);
  const upload = uploadTo(answered('upload_url', address.method), field, source);
  if (!isVideo) return [shown(address), upload];
  return [shown(address), upload, shown(videoRelease(answered('video_id', address.method)))];
};

const addressOf = (medium: ProbedMedium | undefined, source: string): MethodCall => {
  const { mime = null, sizeBytes = null } = medium ?? {};
  const name = mime === null ? '<name of the file>' : fileNameOf(source, mime);
  return videoAddress(name, sizeBytes === null ? '<size of the file>' : String(sizeBytes));
};
