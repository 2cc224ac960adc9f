import { imageSize } from 'image-size';
import type { UploadedFile } from './uploaded-file.js';

/** Returns a photo's sides in pixels; null if they cannot be determined. Such photos are accepted. */
export const readPhotoDimensions = ({
  bytes,
}: UploadedFile): { width: number; height: number; long: number; short: number } | null => {
  if (!bytes) return null;
  try {
    const { width, height } = imageSize(new Uint8Array(bytes)); // a copy: imageSize reads beyond the end of a Buffer
    if (!(width > 0 && height > 0)) return null;
    return { width, height, long: Math.max(width, height), short: Math.min(width, height) };
  } catch {
    return null;
  }
};
