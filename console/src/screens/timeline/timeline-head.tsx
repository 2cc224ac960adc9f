import { useMemo, useState } from 'react';
import { Button, ButtonLink } from '../../components/button.js';
import { PageHead } from '../../components/card.js';
import { format } from '../../i18n/format.js';
import { PauseDialog } from '../../pauses/pause-dialog.js';
import { timelineMessages as m } from './messages.js';
import type { Unsettled } from './use-selection.js';
import { countInState, describeSummary, showCount, summarizeWaiting } from './waiting-summary.js';

/** The heading: how many posts are waiting, and for what. */
export const TimelineHead = ({ queued, inDoubt, failed }: Unsettled) => {
  const [isPausing, setIsPausing] = useState(false);
  const waiting = useMemo(() => queued && summarizeWaiting(queued.items), [queued]);
  const title = waiting && queued ? describeSummary(waiting, queued.next !== null, m, format) : m.loading;
  const inDoubtCount = countInState(inDoubt, 'in_doubt');
  const failedCount = countInState(failed, 'failed');
  const notes = [
    inDoubtCount && inDoubtCount.count > 0 && m.inDoubtNote(showCount(inDoubtCount, format)),
    failedCount && failedCount.count > 0 && m.failedNote(showCount(failedCount, format)),
  ].filter(Boolean);
  const rest = waiting && waiting.total > 0 ? [m.restPublished] : [];
  return (
    <PageHead
      title={title}
      actions={
        <>
          <Button needs="POST /channels/{id}/pause" icon="paused" onClick={() => setIsPausing(true)}>
            {m.pause}
          </Button>
          <ButtonLink look="primary" icon="compose" to="/compose" search={{}}>
            {m.compose}
          </ButtonLink>
        </>
      }
    >
      {[...(notes.length > 0 ? notes : rest), m.choose].join(' ')}
      {isPausing && <PauseDialog onClose={() => setIsPausing(false)} />}
    </PageHead>
  );
};
