import type { Preview } from './use-preview.js';

/** Networks that get the same text after processing. */
export interface PreviewGroup {
  readonly platforms: readonly string[];
  readonly result: Preview['platforms'][string];
}

/** Groups networks that have the same result, in response order. */
export const groupPlatforms = ({ platforms }: Preview): readonly PreviewGroup[] => {
  const groups = new Map<string, { platforms: string[]; result: Preview['platforms'][string] }>();
  for (const [platform, result] of Object.entries(platforms)) {
    const key = JSON.stringify(result);
    const group = groups.get(key);
    if (group) group.platforms.push(platform);
    else groups.set(key, { platforms: [platform], result });
  }
  return [...groups.values()];
};
