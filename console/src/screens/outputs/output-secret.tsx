import { useState } from 'react';
import { management } from '../../api/management.js';
import { Button } from '../../components/button.js';
import { Card } from '../../components/card.js';
import { SelectField } from '../../components/controls.js';
import { Confirmation, Dialog, happens, risk } from '../../components/dialog.js';
import { type Secret, SecretsOnce } from '../../components/secrets.js';
import { Moment } from '../../components/time.js';
import { type Output, refreshOutputs } from './data.js';
import { outputsMessages as m } from './messages.js';

/** Returns the two forms of a signing secret, which are shown once. */
export const secretForms = ({
  secret,
  secret_whsec: standard,
}: {
  readonly secret: string | null;
  readonly secret_whsec: string | null;
}): readonly Secret[] => [
  { label: m.secretRaw, value: secret ?? '', variable: 'CROSSPOST_WEBHOOK_SECRET', isSecret: true },
  { label: m.secretStandard, value: standard ?? '', variable: 'CROSSPOST_WEBHOOK_SECRET_WHSEC', isSecret: true },
];

/** The signing secret of a webhook, which can be replaced but not viewed. */
export const OutputSecret = ({ output }: { readonly output: Output }) => {
  const [isAsking, setIsAsking] = useState(false);
  const [overlap, setOverlap] = useState('1440');
  const [shown, setShown] = useState<readonly Secret[] | null>(null);
  const rotate = async (): Promise<void> => {
    const answer = await management().post('/webhook-outputs/{id}/rotate-secret', {
      path: { id: output.id },
      body: { overlap_minutes: Number(overlap) },
    });
    setShown(secretForms(answer));
    await refreshOutputs();
  };
  return (
    <Card
      title={m.secret}
      aside={
        <Button size="small" onClick={() => setIsAsking(true)}>
          {m.replace}
        </Button>
      }
    >
      <p className="card-body secondary">
        {m.hidden}
        {output.previous_secret_until !== null && (
          <>
            . {m.previous} <Moment at={output.previous_secret_until} />
          </>
        )}
      </p>
      {isAsking && (
        <Confirmation
          title={m.rotateTitle}
          consequences={[happens(m.rotateHappens), risk(m.rotateRisk)]}
          verb={m.rotateVerb}
          run={rotate}
          onClose={() => setIsAsking(false)}
          fields={
            <SelectField
              label={m.overlap}
              value={overlap}
              onChange={setOverlap}
              options={Object.entries(m.overlapOptions)}
            />
          }
        />
      )}
      {shown && (
        <Dialog title={m.saveTitle} isOpen isLocked onClose={() => setShown(null)} className="wide">
          <SecretsOnce secrets={shown} onDone={() => setShown(null)} />
        </Dialog>
      )}
    </Card>
  );
};
