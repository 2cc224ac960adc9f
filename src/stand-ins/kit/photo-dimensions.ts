import { imageSize } from 'image-size';
import type { UploadedFile } from './uploaded-file.js';

/** A photo's dimensions in pixels, the longer side first. */
export interface PhotoDimensions {
  readonly long: number;
  readonly short: number;
}

/** Returns the dimensions of a photo; null if they cannot be determined, in which case the photo is accepted. */
export const readPhotoDimensions = ({ bytes }: UploadedFile): PhotoDimensions | null => {
  if (!bytes) return null;
  try {
    const { width, height } = imageSize(new Uint8Array(bytes)); // a copy: imageSize reads beyond the end of a Buffer
    if (!(width > 0 && height > 0)) return null;
    return { long: Math.max(width, height), short: Math.min(width, height) };
  } catch {
    return null;
  }
};
