import { fileNameOf } from '../../media/file-name.js';
import { type MethodCall, placeholderOf, previewUpload, toPreviewCall } from '../preview-calls.js';
import type { PreviewCall, ProbedMedium, Step } from '../publisher.js';

/** Returns the call that requests an upload URL for a group's photo. */
export const photoAddressCall = (gid: string): MethodCall => ({
  method: 'photosV2.getUploadUrl',
  parameters: { gid, count: '1' },
});

/**
 * Returns the call that requests an upload URL for a video.
 * @param size in bytes
 * @param gid the group to upload it to; null for the account
 */
export const videoAddressCall = (name: string, size: string, gid: string | null): MethodCall => ({
  method: 'video.getUploadUrl',
  // With `post_form`, the feed does not show the upload.
  parameters: { file_name: name, file_size: size, ...(gid !== null && { gid, post_form: 'true' }) },
});

/** Returns the call that makes an uploaded video available. */
export const releaseVideoCall = (vid: string): MethodCall => ({ method: 'video.update', parameters: { vid } });

/** Returns the call that asks whether OK has processed a video. */
export const videoStatusCall = (vids: string): MethodCall => ({
  method: 'video.get',
  parameters: { vids, fields: 'video.status' },
});

/** Returns the calls of a step, with placeholders for values from earlier responses or from the file (D-38). */
export const previewCalls = (step: Step, media: readonly ProbedMedium[]): readonly PreviewCall[] => {
  if (step.visible) return [step];
  const { field, index, source } = step.request['upload'] as { field: string; index: number; source: string };
  const isVideo = step.method === 'video.getUploadUrl';
  const gid = step.request['gid'] as string | undefined;
  const address = isVideo ? addressOf(media[index], source, gid ?? null) : photoAddressCall(gid ?? '');
  const upload = previewUpload(placeholderOf('upload_url', address.method), field, source);
  if (!isVideo) return [toPreviewCall(address), upload];
  const id = placeholderOf('video_id', address.method);
  return [toPreviewCall(address), upload, toPreviewCall(releaseVideoCall(id)), toPreviewCall(videoStatusCall(id))];
};

const addressOf = (medium: ProbedMedium | undefined, source: string, gid: string | null): MethodCall => {
  const { mime = null, sizeBytes = null } = medium ?? {};
  const name = mime === null ? '<name of the file>' : fileNameOf(source, mime);
  return videoAddressCall(name, sizeBytes === null ? '<size of the file>' : String(sizeBytes), gid);
};
