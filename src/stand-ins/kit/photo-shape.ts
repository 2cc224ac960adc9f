import { imageSize } from 'image-size';
import type { UploadedFile } from './uploaded-file.js';

/** A photo's sides in pixels, the longer one first. */
export interface PhotoShape {
  readonly long: number;
  readonly short: number;
}

/** The shape of a photo; null where nobody can tell, which is no reason to refuse it. */
export const photoShape = ({ bytes }: UploadedFile): PhotoShape | null => {
  if (!bytes) return null;
  try {
    const { width, height } = imageSize(new Uint8Array(bytes)); // a copy: of a Buffer it reads on behind the end
    if (!(width > 0 && height > 0)) return null;
    return { long: Math.max(width, height), short: Math.min(width, height) };
  } catch {
    return null;
  }
};
