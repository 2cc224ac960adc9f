import type { ShownCall, Step } from '../publisher.js';
import { answered, type MethodCall, shown, uploadTo } from '../shown-calls.js';

/** What VK says of a photo that it has taken. */
export interface TakenPhoto {
  readonly server: string;
  readonly photo: string;
  readonly hash: string;
}

/** Where the photo of a group goes. */
export const photoAddress = (group_id: string): MethodCall => ({
  method: 'photos.getWallUploadServer',
  parameters: { group_id },
});

/** Keeps a photo that was uploaded. */
export const photoKept = (group_id: string, { server, photo, hash }: TakenPhoto): MethodCall => ({
  method: 'photos.saveWallPhoto',
  parameters: { group_id, server, photo, hash },
});

/** A video, and where it goes. */
export const videoAddress = (group_id: string, name: string): MethodCall => ({
  method: 'video.save',
  parameters: { group_id, name, wallpost: '0' },
});

/** The calls of a step, with `<…>` for what only an earlier one tells (D-38). */
export const shownCalls = (step: Step): readonly ShownCall[] => {
  if (step.visible) return [step];
  const group = step.request['group_id'] as string;
  const { field, source } = step.request['upload'] as { readonly field: string; readonly source: string };
  const isVideo = step.method === 'video.save';
  const address = isVideo ? videoAddress(group, step.request['name'] as string) : photoAddress(group);
  const upload = uploadTo(answered('upload_url', address.method), field, source);
  if (isVideo) return [shown(address), upload];
  const of = (what: string): string => answered(what, 'the upload');
  return [
    shown(address),
    upload,
    shown(photoKept(group, { server: of('server'), photo: of('photo'), hash: of('hash') })),
  ];
};
