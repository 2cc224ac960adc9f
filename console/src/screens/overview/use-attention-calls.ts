import { useQueryClient } from '@tanstack/react-query';
import { management } from '../../api/management.js';
import type { Attention } from '../../api/overview.js';
import { toast } from '../../components/toasts.js';
import { getFormat } from '../../i18n/format.js';
import { useLocale } from '../../i18n/locale.js';
import { attentionMessages as m } from './attention-messages.js';

/** How long the deliveries to a webhook output must keep failing before it is disabled, in ms. */
const OUTPUT_FAILURES_MS = 5 * 24 * 3_600_000;

/** Returns a function that calls the gateway to resolve an item that needs attention, and reports the outcome. */
export const useAttentionCalls = (): ((item: Attention) => Promise<void>) => {
  const format = getFormat(useLocale());
  const queries = useQueryClient();
  return async ({ code, since, subject }) => {
    const path = { id: subject.id ?? '' };
    const name = subject.name ?? path.id;
    const refresh = (...keys: readonly string[]): void => {
      for (const key of ['overview', ...keys]) void queries.invalidateQueries({ queryKey: [key] });
    };
    if (code === 'endpoint_disabled') {
      await management().post('/endpoints/{id}/enable', { path });
      refresh('endpoints', 'endpoint');
      toast(m.enabled(name));
    }
    if (code === 'webhook_output_disabled') {
      await management().post('/webhook-outputs/{id}/enable', { path });
      const from = new Date(Date.parse(since) - OUTPUT_FAILURES_MS).toISOString();
      const { retried } = await management().post('/webhook-outputs/{id}/retry-failed', {
        path,
        body: { since: from },
      });
      refresh('outputs', 'output', 'deliveries');
      toast(m.replayed(retried, format.number(retried)));
    }
  };
};
