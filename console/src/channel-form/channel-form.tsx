import './channel-form.css';
import '../components/form.css';
import { type ReactNode, useState } from 'react';
import { type Api, FieldProblems, management, missingProblem, type Problems, readProblems } from '../api/management.js';
import { refreshChannel } from '../channels/channel-calls.js';
import { Button } from '../components/button.js';
import { Card, Columns, Stack } from '../components/card.js';
import { Dialog } from '../components/dialog.js';
import { Form, FormEnd, useSave } from '../components/form.js';
import { toast, toastError } from '../components/toasts.js';
import { OwnerField, useNeedsOwner } from '../session/owner-field.js';
import { serverNow } from '../time/server-clock.js';
import {
  CredentialFields,
  type CredentialValues,
  NameField,
  NetworkChoice,
  SettingFields,
  settingsBody,
  type SettingValues,
  settingValues,
} from './channel-fields.js';
import { connectMessages } from './connect-messages.js';
import { ConnectSteps, STEPS_ID } from './connect-steps.js';
import { channelFormMessages as m } from './messages.js';
import { CREDENTIALS, type Network } from './networks.js';
import { type DatedTest, TestResults } from './test-results.js';

/** A channel to connect, as entered in the form. */
export interface ChannelDraft {
  readonly network: Network;
  readonly name: string;
  readonly credentials: CredentialValues;
  readonly settings: SettingValues;
  /** Chosen by the operator; empty if the owner is already known. */
  readonly ownerId: string;
}

/** Returns the credentials for a request body: trimmed, and without empty optional fields. */
export const credentialsBody = (network: Network, values: CredentialValues): Readonly<Record<string, string>> =>
  Object.fromEntries(
    CREDENTIALS[network]
      .map(({ name, kind }) => ({ name, kind, value: (values[name] ?? '').trim() }))
      .filter(({ kind, value }) => value !== '' || kind !== 'optional_secret')
      .map(({ name, value }) => [name, value]),
  );

/** Returns a problem for each empty required field, so that the form can report them without calling the gateway. */
export const findMissing = (network: Network, credentials: CredentialValues, name?: string): Problems => {
  const isBlank = (value: string | undefined): boolean => (value ?? '').trim() === '';
  const required = CREDENTIALS[network].filter(({ kind }) => kind !== 'optional_secret');
  return Object.assign(
    {},
    ...(name !== undefined && isBlank(name) ? [missingProblem('name')] : []),
    ...required
      .filter((field) => isBlank(credentials[field.name]))
      .map((field) => missingProblem(`credentials.${field.name}`)),
  ) as Problems;
};

/** Connects a channel. The response includes the test result, which may be a failure. */
export const connectChannel = async (draft: ChannelDraft): Promise<Api<'TestedChannel'>> => {
  const { network, name, settings, ownerId } = draft;
  const body = {
    platform: network,
    name: name.trim(),
    credentials: credentialsBody(network, draft.credentials),
    settings: settingsBody(network, settings),
    ...(ownerId !== '' && { owner_id: ownerId }),
  };
  // The body's fields depend on the chosen network, which the type cannot express.
  const created = await management().post('/channels', { body: body as never });
  await refreshChannel();
  return created;
};

/** Replaces a channel's credentials, and its name and settings if given. The response includes the test result. */
export const changeCredentials = async (
  id: string,
  network: Network,
  credentials: CredentialValues,
  more: { readonly name?: string; readonly settings?: SettingValues } = {},
): Promise<Api<'TestedChannel'>> => {
  const { name, settings } = more;
  const changed = await management().patch('/channels/{id}', {
    path: { id },
    body: {
      credentials: credentialsBody(network, credentials),
      ...(name !== undefined && { name: name.trim() }),
      ...(settings && { settings: { ...settingsBody(network, settings) } }),
    },
  });
  await refreshChannel();
  return changed as Api<'TestedChannel'>; // always includes the test result if credentials were sent
};

/** Returns the values of a network's fields that identify the chat. */
const addressIn = (network: Network, address: Api<'Channel'>['address']): CredentialValues =>
  Object.fromEntries(
    CREDENTIALS[network].filter(({ kind }) => kind === 'address').map(({ name }) => [name, address[name] ?? '']),
  );

const EMPTY: ChannelDraft = {
  network: 'telegram',
  name: '',
  credentials: {},
  settings: settingValues(),
  ownerId: '',
};

interface ChannelFormProps {
  /** Called once, when the channel has been created. */
  readonly onCreated?: (channel: Api<'TestedChannel'>) => void;
  /** Called with the result of every test, including the first. */
  readonly onTest?: (test: Api<'ChannelTest'>) => void;
  /** Called when the user continues, whether or not the channel passed its test. */
  readonly onDone: (channel: Api<'Channel'>) => void;
  /** Label of the continue button. */
  readonly doneLabel?: string;
  /** Renders what to do after the channel has passed its test, with the screen's primary button. */
  readonly next?: (channel: Api<'Channel'>) => ReactNode;
}

/**
 * Connects a channel and tests it. The first submission creates the channel even if the test fails. After that, the
 * same button saves and tests a correction. The credentials are kept only in this component.
 */
export const ChannelForm = ({ onCreated, onTest, onDone, doneLabel, next }: ChannelFormProps) => {
  const needsOwner = useNeedsOwner();
  const [draft, setDraft] = useState(EMPTY);
  const [problems, setProblems] = useState<Problems>({});
  const [isOwnerMissing, setIsOwnerMissing] = useState(false);
  const [isMore, setIsMore] = useState(false);
  const [isBusy, setIsBusy] = useState(false);
  const [channel, setChannel] = useState<Api<'TestedChannel'> | null>(null);
  const [tested, setTested] = useState<DatedTest | null>(null);
  const change = (part: Partial<ChannelDraft>): void => setDraft({ ...draft, ...part });

  const save = async (): Promise<void> => {
    const { network, credentials, name, settings } = draft;
    const missing = findMissing(network, credentials, name);
    const lacksOwner = needsOwner && draft.ownerId === '';
    setProblems(missing);
    setIsOwnerMissing(lacksOwner);
    if (lacksOwner || Object.keys(missing).length > 0) return;
    setIsBusy(true);
    try {
      const saved = channel
        ? await changeCredentials(channel.id, network, credentials, { name, settings })
        : await connectChannel(draft);
      // The gateway has replaced a link with the chat's id.
      const address = addressIn(network, saved.address);
      setDraft((latest) => ({ ...latest, credentials: { ...latest.credentials, ...address } }));
      setChannel(saved);
      setTested({ test: saved.test, at: serverNow() });
      if (!channel) onCreated?.(saved);
      onTest?.(saved.test);
      if (saved.test.ok) toast(m.connected(saved.name));
    } catch (error) {
      const found = readProblems(error);
      setProblems(found ?? {});
      if (!found) toastError(error);
    }
    setIsBusy(false);
  };

  const isOk = tested?.test.ok === true;
  return (
    <Columns second="1.06fr">
      <Card title={m.channel}>
        <Form className="form-fields" onSubmit={() => void save()}>
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
          {!channel && (
            <a className="link to-steps" href={`#${STEPS_ID}`}>
              {connectMessages.toSteps}
            </a>
          )}
          <NameField value={draft.name} onChange={(name) => change({ name })} problems={problems} />
          <CredentialFields
            network={draft.network}
            values={draft.credentials}
            onChange={(credentials) => change({ credentials })}
            problems={problems}
          />
          <details
            className="more-settings"
            open={isMore || problems['settings.text_limit'] !== undefined}
            onToggle={(event) => setIsMore(event.currentTarget.open)}
          >
            <summary>{m.more}</summary>
            <SettingFields
              network={draft.network}
              values={draft.settings}
              onChange={(settings) => change({ settings })}
              problems={problems}
            />
          </details>
          <FormEnd text={channel ? (isOk ? m.savedWell : m.savedWithProblem) : m.connectHint}>
            {channel && !isOk && <Button onClick={() => onDone(channel)}>{m.keepAsItIs}</Button>}
            <Button type="submit" look={isOk ? 'plain' : 'primary'} busy={isBusy}>
              {m.saveAndTest}
            </Button>
            {channel && isOk && (
              <Button look={next ? 'plain' : 'primary'} onClick={() => onDone(channel)}>
                {doneLabel ?? m.done}
              </Button>
            )}
          </FormEnd>
        </Form>
      </Card>
      {channel && tested ? (
        <Stack>
          {isOk && next?.(channel)}
          <TestResults channel={channel} tested={tested} warnings={channel.warnings} />
          {!isOk && <ConnectSteps network={draft.network} />}
        </Stack>
      ) : (
        <ConnectSteps network={draft.network} />
      )}
    </Columns>
  );
};

interface CredentialsDialogProps {
  readonly channel: Api<'Channel'>;
  readonly onSaved: (channel: Api<'TestedChannel'>) => void;
  readonly onClose: () => void;
}

/** Asks for a channel's new credentials, saves them, and passes on the test result. */
export const CredentialsDialog = ({ channel: { id, platform, address }, onSaved, onClose }: CredentialsDialogProps) => {
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
            {m.saveAndTest}
          </Button>
        </div>
      </Form>
    </Dialog>
  );
};
