import { type MethodCall, placeholderOf, previewUpload, toPreviewCall } from '../preview-calls.js';
import type { PreviewCall, Step } from '../publisher.js';

/** VK's response to a photo upload. */
export interface UploadedPhoto {
  readonly server: string;
  readonly photo: string;
  readonly hash: string;
}

/** Returns the call that requests an upload URL for a group's photo. */
export const photoServerCall = (group_id: string): MethodCall => ({
  method: 'photos.getWallUploadServer',
  parameters: { group_id },
});

/** Returns the call that saves an uploaded photo. */
export const savePhotoCall = (group_id: string, { server, photo, hash }: UploadedPhoto): MethodCall => ({
  method: 'photos.saveWallPhoto',
  parameters: { group_id, server, photo, hash },
});

/** Returns the call that creates a video and requests its upload URL. */
export const saveVideoCall = (group_id: string, name: string): MethodCall => ({
  method: 'video.save',
  parameters: { group_id, name, wallpost: '0' },
});

/** Returns the calls of a step, with placeholders for values from earlier responses (D-38). */
export const previewCalls = (step: Step): readonly PreviewCall[] => {
  if (step.visible) return [step];
  const group = step.request['group_id'] as string;
  const { field, source } = step.request['upload'] as { readonly field: string; readonly source: string };
  const isVideo = step.method === 'video.save';
  const address = isVideo ? saveVideoCall(group, step.request['name'] as string) : photoServerCall(group);
  const upload = previewUpload(placeholderOf('upload_url', address.method), field, source);
  if (isVideo) return [toPreviewCall(address), upload];
  const of = (what: string): string => placeholderOf(what, 'the upload');
  return [
    toPreviewCall(address),
    upload,
    toPreviewCall(savePhotoCall(group, { server: of('server'), photo: of('photo'), hash: of('hash') })),
  ];
};
