import { useState } from 'react';
import { management } from '../../api/management.js';
import { type Problems, readProblems } from '../../api/problems.js';
import { Button } from '../../components/button.js';
import { Card } from '../../components/card.js';
import { toast, toastError } from '../../components/toasts.js';
import { type Output, refreshOutputs } from './data.js';
import { outputsMessages as m } from './messages.js';
import { type OutputDraft, OutputFields } from './output-fields.js';

/** Changes a webhook's URL and the events that it reports. */
export const OutputSettings = ({ output }: { readonly output: Output }) => {
  const [draft, setDraft] = useState<OutputDraft>({ url: output.url, kinds: output.kinds });
  const [problems, setProblems] = useState<Problems>({});
  const [isBusy, setIsBusy] = useState(false);
  const isChanged = draft.url !== output.url || draft.kinds.toSorted().join() !== output.kinds.toSorted().join();
  const save = async (): Promise<void> => {
    setIsBusy(true);
    setProblems({});
    try {
      await management().patch('/webhook-outputs/{id}', { path: { id: output.id }, body: draft });
      await refreshOutputs();
      toast(m.saved);
    } catch (error) {
      const found = readProblems(error);
      if (found) setProblems(found);
      else toastError(error);
    }
    setIsBusy(false);
  };
  return (
    <Card title={m.settings}>
      <form
        className="output-form card-body"
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        <OutputFields draft={draft} onChange={setDraft} problems={problems} />
        <div>
          <Button type="submit" disabled={!isChanged} busy={isBusy}>
            {m.save}
          </Button>
        </div>
      </form>
    </Card>
  );
};
