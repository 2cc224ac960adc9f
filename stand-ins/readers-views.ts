import { MAX_VIEW } from './max/readers-view.js';
import { OK_VIEW } from './ok/readers-view.js';
import { TELEGRAM_VIEW } from './telegram/readers-view.js';
import { VK_VIEW } from './vk/readers-view.js';
import type { ReadersView } from './walls/readers-view.js';

/** Readers' views by network. The console uses them to preview posts. */
export const READERS_VIEWS: Readonly<Record<string, ReadersView>> = {
  telegram: TELEGRAM_VIEW,
  vk: VK_VIEW,
  max: MAX_VIEW,
  ok: OK_VIEW,
};
