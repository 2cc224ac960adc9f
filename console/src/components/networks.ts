const NETWORK_TITLES: Readonly<Record<string, string>> = {
  telegram: 'Telegram',
  vk: 'VK',
  max: 'MAX',
  ok: 'Odnoklassniki',
};

/** Ids of the networks, in the order in which they are shown. */
export const NETWORKS = ['telegram', 'vk', 'max', 'ok'] as const;

/** Returns a network's human-readable name. */
export const networkTitle = (platform: string): string => NETWORK_TITLES[platform] ?? platform;
