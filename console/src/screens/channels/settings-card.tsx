import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { management } from '../../api/management.js';
import { credentialMessages } from '../../channel-form/credential-messages.js';
import { CREDENTIALS, type Network } from '../../channel-form/networks.js';
import { NameField, SettingFields, settingsBody, settingValues } from '../../channel-form/setting-fields.js';
import type { Channel } from '../../channels/channel-state.js';
import { refreshChannel } from '../../channels/refresh-channel.js';
import { Button } from '../../components/button.js';
import { toast } from '../../components/toasts.js';
import { channelMessages as m } from './channel-messages.js';
import { SettingsForm, useSave } from '../../components/form.js';

/** The name, credentials and settings of a channel. */
export const SettingsCard = ({ channel, onReplace }: { readonly channel: Channel; readonly onReplace: () => void }) => {
  const { id, platform, name: savedName, settings: savedSettings } = channel;
  const [draft, setDraft] = useState<{ name?: string; settings?: ReturnType<typeof settingValues> }>({});
  const saved = settingValues(savedSettings);
  const name = draft.name ?? savedName;
  const settings = draft.settings ?? saved;
  const saving = useSave(async () => {
    await management().patch('/channels/{id}', {
      path: { id },
      body: { name: name.trim(), settings: { ...settingsBody(platform, settings) } },
    });
    await refreshChannel();
    setDraft({});
    toast(m.settingsSaved);
  });
  return (
    <SettingsForm
      title={m.settings}
      aside={
        <Link className="link" to="/time">
          {m.history}
        </Link>
      }
      saving={saving}
      isChanged={name !== savedName || JSON.stringify(settings) !== JSON.stringify(saved)}
      onUndo={() => setDraft({})}
    >
      <NameField value={name} onChange={(next) => setDraft({ ...draft, name: next })} problems={saving.problems} />
      <StoredCredentials channel={channel} onReplace={onReplace} />
      <SettingFields
        network={platform}
        values={settings}
        onChange={(next) => setDraft({ ...draft, settings: next })}
        problems={saving.problems}
      />
    </SettingsForm>
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
