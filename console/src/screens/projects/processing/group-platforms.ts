import type { Preview } from './use-preview.js';

/** Networks for which the processing yields the same text. */
export interface PreviewGroup {
  readonly platforms: readonly string[];
  readonly result: Preview['platforms'][string];
}

/** Groups networks with the same result, in the order of the response. */
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
