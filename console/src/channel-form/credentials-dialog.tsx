import './channel-form.css';
import '../components/form.css';
import { useState } from 'react';
import type { Api } from '../api/management.js';
import { FieldProblems } from '../api/problems.js';
import { Button } from '../components/button.js';
import { Dialog } from '../components/dialog.js';
import { changeCredentials, findMissing } from './connect-channel.js';
import { CredentialFields, type CredentialValues } from './credential-fields.js';
import { channelFormMessages as m } from './messages.js';
import type { Network } from './networks.js';
import { Form, useSave } from '../components/form.js';

/** Asks for a channel's new credentials, saves them, and passes on the test result. */
export const CredentialsDialog = ({
  channel: { id, platform, address },
  onSaved,
  onClose,
}: {
  readonly channel: Api<'Channel'>;
  readonly onSaved: (channel: Api<'TestedChannel'>) => void;
  readonly onClose: () => void;
}) => {
  const network = platform as Network;
  const [values, setValues] = useState<CredentialValues>(address);
  const { save, isBusy, problems } = useSave(async () => {
    const missing = findMissing(network, values);
    if (Object.keys(missing).length > 0) throw new FieldProblems(missing);
    onSaved(await changeCredentials(id, network, values));
    onClose();
  });
  return (
    <Dialog title={m.replaceTitle} description={m.replaceText} isOpen onClose={onClose}>
      <Form className="dialog-form" onSubmit={save}>
        <CredentialFields
          network={network}
          values={values}
          onChange={setValues}
          problems={problems}
          hasUploadToken={address.uploads !== undefined}
        />
        <div className="dialog-actions">
          <Button onClick={onClose}>{m.notNow}</Button>
          <Button type="submit" look="primary" busy={isBusy}>
            {m.saveAndTestNew}
          </Button>
        </div>
      </Form>
    </Dialog>
  );
};
