import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { management } from '../../api/management.js';
import { type Problems, readProblems } from '../../api/problems.js';
import { credentialMessages } from '../../channel-form/credential-messages.js';
import { NameField } from '../../channel-form/name-field.js';
import { CREDENTIALS, type Network } from '../../channel-form/networks.js';
import { SettingFields, settingsBody, settingValues } from '../../channel-form/setting-fields.js';
import type { Channel } from '../../channels/channel-state.js';
import { refreshChannel } from '../../channels/refresh-channel.js';
import { Button } from '../../components/button.js';
import { Card } from '../../components/card.js';
import { FormEnd } from '../../components/form-end.js';
import { toast, toastError } from '../../components/toasts.js';
import { channelMessages as m } from './channel-messages.js';

/** The name, credentials and settings of a channel. */
export const SettingsCard = ({ channel, onReplace }: { readonly channel: Channel; readonly onReplace: () => void }) => {
  const { id, platform, name: savedName, settings: savedSettings } = channel;
  const [draft, setDraft] = useState<{ name?: string; settings?: ReturnType<typeof settingValues> }>({});
  const [problems, setProblems] = useState<Problems>({});
  const [isBusy, setIsBusy] = useState(false);
  const saved = settingValues(savedSettings);
  const name = draft.name ?? savedName;
  const settings = draft.settings ?? saved;
  const isChanged = name !== savedName || JSON.stringify(settings) !== JSON.stringify(saved);
  const save = async (): Promise<void> => {
    setIsBusy(true);
    try {
      await management().patch('/channels/{id}', {
        path: { id },
        body: { name: name.trim(), settings: { ...settingsBody(platform, settings) } },
      });
      await refreshChannel();
      setProblems({});
      setDraft({});
      toast(m.settingsSaved);
    } catch (error) {
      const found = readProblems(error);
      setProblems(found ?? {});
      if (!found) toastError(error);
    }
    setIsBusy(false);
  };
  return (
    <Card
      title={m.settings}
      aside={
        <Link className="link" to="/time">
          {m.history}
        </Link>
      }
    >
      <form
        className="form-fields"
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        <NameField value={name} onChange={(next) => setDraft({ ...draft, name: next })} problems={problems} />
        <StoredCredentials channel={channel} onReplace={onReplace} />
        <SettingFields
          network={platform}
          values={settings}
          onChange={(next) => setDraft({ ...draft, settings: next })}
          problems={problems}
        />
        <FormEnd text={isChanged ? m.notSaved : ''}>
          {isChanged && <Button onClick={() => setDraft({})}>{m.undo}</Button>}
          <Button type="submit" disabled={!isChanged} busy={isBusy}>
            {m.save}
          </Button>
        </FormEnd>
      </form>
    </Card>
  );
};

const StoredCredentials = ({
  channel: { platform, address },
  onReplace,
}: {
  readonly channel: Channel;
  readonly onReplace: () => void;
}) => {
  const texts = credentialMessages.fields[platform] ?? {};
  const fields = CREDENTIALS[platform as Network] ?? [];
  const value = (name: string, kind: string): string => {
    if (kind === 'address') return address[name] ?? '';
    return kind === 'optional_secret' && address.uploads === undefined ? m.notSet : '•'.repeat(16);
  };
  return (
    <div className="stored-credentials">
      <dl>
        {fields.map(({ name, kind }) => (
          <div key={name}>
            <dt>{texts[name]?.label ?? name}</dt>
            <dd className="mono cut">
              <bdi>{value(name, kind)}</bdi>
            </dd>
          </div>
        ))}
      </dl>
      <Button size="small" onClick={onReplace}>
        {m.replace}
      </Button>
    </div>
  );
};
