import './channel-form.css';
import { useState } from 'react';
import { type Api, management } from '../api/management.js';
import { type Problems, readProblems } from '../api/problems.js';
import { Button } from '../components/button.js';
import { Card } from '../components/card.js';
import { toast, toastError } from '../components/toasts.js';
import { OwnerField, useNeedsOwner } from '../session/owner-field.js';
import { serverNow } from '../time/server-clock.js';
import { BeforeTest } from './before-test.js';
import { changeCredentials, type ChannelDraft, connectChannel, findMissing } from './connect-channel.js';
import { CredentialFields } from './credential-fields.js';
import { channelFormMessages as m } from './messages.js';
import { NetworkChoice } from './network-choice.js';
import { NameField, SettingFields, settingValues } from './setting-fields.js';
import { type DatedTest, TestResults } from './test-results.js';
import { Form, FormEnd } from '../components/form.js';

const EMPTY: ChannelDraft = {
  network: 'telegram',
  name: '',
  credentials: {},
  settings: settingValues(),
  ownerId: '',
};

/**
 * Connects a channel and tests it. The first submission creates the channel even if the test fails. After that, the
 * form edits the channel, so that a wrong token can be corrected on the spot. The credentials are kept only in this
 * component.
 */
export const ChannelForm = ({
  onCreated,
  onTest,
  onDone,
  doneLabel,
}: {
  /** Called once, when the channel has been created. */
  readonly onCreated?: (channel: Api<'TestedChannel'>) => void;
  /** Called with the result of every test, including the first. */
  readonly onTest?: (test: Api<'ChannelTest'>) => void;
  /** Called when the user continues, whether or not the channel passed its test. */
  readonly onDone: (channel: Api<'Channel'>) => void;
  /** Label of the continue button. */
  readonly doneLabel?: string;
}) => {
  const needsOwner = useNeedsOwner();
  const [draft, setDraft] = useState(EMPTY);
  const [problems, setProblems] = useState<Problems>({});
  const [isOwnerMissing, setIsOwnerMissing] = useState(false);
  const [busy, setBusy] = useState<'saving' | 'testing' | null>(null);
  const [channel, setChannel] = useState<Api<'TestedChannel'> | null>(null);
  const [tested, setTested] = useState<DatedTest | null>(null);
  const change = (part: Partial<ChannelDraft>): void => setDraft({ ...draft, ...part });

  const note = (test: Api<'ChannelTest'>): void => {
    setTested({ test, at: serverNow() });
    onTest?.(test);
  };
  const work = async (kind: 'saving' | 'testing', run: () => Promise<void>): Promise<void> => {
    setBusy(kind);
    try {
      await run();
      setProblems({});
    } catch (error) {
      const found = readProblems(error);
      setProblems(found ?? {});
      if (!found) toastError(error);
    }
    setBusy(null);
  };
  const save = async (): Promise<void> => {
    const { network, credentials, name, settings } = draft;
    const missing = findMissing(network, credentials, name);
    const lacksOwner = needsOwner && draft.ownerId === '';
    setProblems(missing);
    setIsOwnerMissing(lacksOwner);
    if (lacksOwner || Object.keys(missing).length > 0) return;
    await work('saving', async () => {
      const saved = channel
        ? await changeCredentials(channel.id, network, credentials, { name, settings })
        : await connectChannel(draft);
      setChannel(saved);
      if (!channel) onCreated?.(saved);
      note(saved.test);
      if (saved.test.ok) toast(m.connected(saved.name));
    });
  };
  const testAgain = (id: string): Promise<void> =>
    work('testing', async () => note(await management().post('/channels/{id}/test', { path: { id } })));

  const isOk = tested?.test.ok === true;
  return (
    <div className="channel-form">
      <Card title={m.channel}>
        <Form className="form-fields" onSubmit={save}>
          <NetworkChoice
            value={draft.network}
            onChange={(network) => {
              setProblems({});
              change({ network });
            }}
            isFixed={channel !== null}
          />
          {channel && <p className="tertiary">{m.networkStays}</p>}
          {!channel && (
            <OwnerField value={draft.ownerId} onChange={(ownerId) => change({ ownerId })} isMissing={isOwnerMissing} />
          )}
          <NameField value={draft.name} onChange={(name) => change({ name })} problems={problems} />
          <CredentialFields
            network={draft.network}
            values={draft.credentials}
            onChange={(credentials) => change({ credentials })}
            problems={problems}
          />
          <SettingFields
            network={draft.network}
            values={draft.settings}
            onChange={(settings) => change({ settings })}
            problems={problems}
          />
          <FormEnd text={channel ? (isOk ? m.savedWell : m.savedWithProblem) : m.connectHint}>
            {channel && !isOk && <Button onClick={() => onDone(channel)}>{m.keepAsItIs}</Button>}
            <Button type="submit" look={channel ? 'plain' : 'primary'} busy={busy === 'saving'}>
              {channel ? m.saveAndTest : m.connect}
            </Button>
            {channel && isOk && (
              <Button look="primary" onClick={() => onDone(channel)}>
                {doneLabel ?? m.done}
              </Button>
            )}
          </FormEnd>
        </Form>
      </Card>
      {channel && tested ? (
        <TestResults
          channel={channel}
          tested={tested}
          warnings={channel.warnings}
          onTest={() => void testAgain(channel.id)}
          isTesting={busy === 'testing'}
          isPrimary={!isOk}
        />
      ) : (
        <BeforeTest network={draft.network} />
      )}
    </div>
  );
};
