import type { Settings } from '../config/settings.js';

/** Names of the demo's photos, which scripts/draw-photos.js draws. */
const NAMES = ['harbour-at-dusk', 'lighthouse-in-the-morning', 'regatta', 'first-frost'];

/** Address of the demo's photos, without a file's name; null if the gateway does not know its own address. */
export const photosUrl = ({ demo, baseUrl }: Pick<Settings, 'demo' | 'baseUrl'>): string | null =>
  demo && baseUrl ? `${baseUrl}/console/photos/` : null;

/** Photos that a post of the demo can have without the Internet: the gateway serves them itself. */
export const demoPhotos = (
  settings: Pick<Settings, 'demo' | 'baseUrl'>,
): readonly { readonly name: string; readonly url: string }[] => {
  const url = photosUrl(settings);
  return url === null ? [] : NAMES.map((name) => ({ name, url: `${url}${name}.jpg` }));
};
