import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { type Api, management } from '../../api/management.js';
import { useProjects } from '../../api/things.js';
import { NameField, SettingFields, settingsBody, settingValues } from '../../channel-form/channel-fields.js';
import { credentialMessages } from '../../channel-form/messages.js';
import { channelUrl, CREDENTIALS, type Network } from '../../channel-form/networks.js';
import { type DatedTest, TestResults } from '../../channel-form/test-results.js';
import { refreshChannel } from '../../channels/channel-calls.js';
import type { Channel } from '../../channels/channel-state.js';
import { RetryButton } from '../../channels/retry-button.js';
import { Button, ExternalLink } from '../../components/button.js';
import { Card } from '../../components/card.js';
import { SettingsForm, useSave } from '../../components/form.js';
import { Icon, networkInText } from '../../components/icon.js';
import { GatewayText } from '../../components/sentence.js';
import { Age } from '../../components/time.js';
import { toast, toastError } from '../../components/toasts.js';
import { HistoryLink } from '../../history/history-link.js';
import { useHeldPosts } from '../../pauses/pause-calls.js';
import { serverNow } from '../../time/server-clock.js';
import { AddButtons } from './add-to-set.js';
import { channelMessages as m } from './messages.js';

interface AttentionCardProps {
  readonly channel: Channel;
  readonly attention: Api<'Attention'>;
  readonly onReplace: () => void;
}

/** The problem that holds up a channel's posts: the network's message, how to fix it, and buttons to do so. */
export const AttentionCard = ({ channel, attention, onReplace }: AttentionCardProps) => {
  const held = useHeldPosts(channel.id);
  const { platform, address } = channel;
  const url = channelUrl(platform, address);
  const network = networkInText(platform);
  const codes = attention.actions.map(({ code }) => code);
  const buttons = codes.filter((code) => code !== 'fix_on_platform');
  return (
    <section className="card channel-hold" aria-labelledby="channel-hold">
      <Icon name="onHold" tone="warn" size={20} />
      <div>
        <h2 id="channel-hold">
          {attention.code.startsWith('credentials_') ? m.credentialsGone : m.refusedSince(network)}{' '}
          <Age since={attention.since} />
        </h2>
        <p>
          <GatewayText text={attention.message} />
        </p>
        {attention.platform_says !== null && (
          <p className="secondary">
            {m.says(network)} “<bdi>{attention.platform_says}</bdi>”
          </p>
        )}
        <h3>{m.howToFix}</h3>
        <ol className="hold-steps">
          {attention.actions
            .filter(({ code }) => code !== 'fix_on_platform')
            .map(({ code, message }) => (
              <li key={code}>
                <Icon name="chevronRight" size={14} tone="time" />
                <span>
                  {code === 'retry' ? m.fixThenRetry(network) : code === 'replace_credentials' ? m.orReplace : message}
                </span>
              </li>
            ))}
        </ol>
        <p className="secondary">{held && held.count > 0 ? m.heldMeanwhile(held.count, held.isMore) : m.holdsNew}</p>
        <div className="row hold-actions">
          {buttons.map((code, index) =>
            code === 'retry' ? (
              <RetryButton key={code} channel={channel} isPrimary={index === 0} />
            ) : (
              <Button
                key={code}
                needs="PATCH /channels/{id}"
                icon="key"
                look={index === 0 ? 'primary' : 'plain'}
                onClick={onReplace}
              >
                {m.newCredentials}
              </Button>
            ),
          )}
          {url !== null && codes.includes('fix_on_platform') && (
            <ExternalLink href={url} look="plain">
              {m.openOn(network)}
            </ExternalLink>
          )}
        </div>
      </div>
    </section>
  );
};

/** The projects through which posts reach a channel. */
export const ProjectsCard = ({ channel }: { readonly channel: Channel }) => {
  const all = useProjects().data;
  if (!all) return null;
  const projects = all.filter(({ channel_ids: ids }) => ids.includes(channel.id));
  return (
    <Card
      title={m.projects}
      aside={
        projects.length > 0 && (
          <Link className="link" to="/projects">
            {m.allProjects}
          </Link>
        )
      }
    >
      {projects.length === 0 ? (
        <div className="card-body channel-no-project">
          <p className="secondary">{m.noProject}</p>
          <AddButtons channel={channel} sets={all} />
        </div>
      ) : (
        <ul className="channel-projects">
          {projects.map(({ id, name, paused_until: until }) => (
            <li key={id}>
              <Icon name="project" size={14} />
              <Link className="link cut" to="/projects/$id" params={{ id }}>
                <bdi>{name}</bdi>
              </Link>
              {until !== null && <span className="tertiary">{m.projectPaused}</span>}
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
};

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
      aside={<HistoryLink id={channel.id} />}
      saving={saving}
      needs="PATCH /channels/{id}"
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

interface StoredCredentialsProps {
  readonly channel: Channel;
  readonly onReplace: () => void;
}

const StoredCredentials = ({ channel: { platform, address }, onReplace }: StoredCredentialsProps) => {
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
      <Button needs="PATCH /channels/{id}" size="small" onClick={onReplace}>
        {m.replace}
      </Button>
    </div>
  );
};

interface TestCardProps {
  readonly channel: Channel;
  readonly tested: DatedTest | null;
  readonly onTested: (tested: DatedTest) => void;
}

/** Tests a channel on demand. The test queries the network and posts nothing. */
export const TestCard = ({ channel, tested, onTested }: TestCardProps) => {
  const [isTesting, setIsTesting] = useState(false);
  const test = async (): Promise<void> => {
    setIsTesting(true);
    try {
      const result = await management().post('/channels/{id}/test', { path: { id: channel.id } });
      onTested({ test: result, at: serverNow() });
    } catch (error) {
      toastError(error);
    }
    setIsTesting(false);
  };
  if (tested) return <TestResults channel={channel} tested={tested} onTest={() => void test()} isTesting={isTesting} />;
  return (
    <Card
      title={m.test}
      aside={
        <Button size="small" icon="shield" busy={isTesting} onClick={() => void test()}>
          {isTesting ? m.testing : m.runTest}
        </Button>
      }
    >
      <p className="card-body secondary">{m.testText(networkInText(channel.platform))}</p>
    </Card>
  );
};
