import './channel-form.css';
import { Link } from '@tanstack/react-router';
import type { Api } from '../api/management.js';
import { useNames } from '../api/things.js';
import { Button, ExternalLink } from '../components/button.js';
import { Card } from '../components/card.js';
import { Icon, type IconName, networkInText, type Tone } from '../components/icon.js';
import { GatewayText } from '../components/sentence.js';
import { Moment } from '../components/time.js';
import { format } from '../i18n/format.js';
import { channelFormMessages as m } from './messages.js';
import { AFTER_PUBLISHING, channelUrl, expectedChecks } from './networks.js';

/** A channel test result, with the time the test finished. */
export interface DatedTest {
  readonly test: Api<'ChannelTest'>;
  /** Ms since 1970, by the gateway's clock. */
  readonly at: number;
}

/**
 * Shows a channel test result: the outcome of each check, the network's own message, and how to fix the first failure.
 * With `warnings`, also shows whether other channels post to the same chat.
 */
export const TestResults = ({
  channel: { platform, address },
  tested: { test, at },
  warnings,
  onTest,
  isTesting = false,
}: {
  readonly channel: Pick<Api<'Channel'>, 'platform' | 'address'>;
  readonly tested: DatedTest;
  readonly warnings?: readonly Api<'ChannelWarning'>[];
  /** Tests again. Absent if the form beside the results does that. */
  readonly onTest?: () => void;
  readonly isTesting?: boolean;
}) => {
  const expected = expectedChecks(platform, address.uploads !== undefined);
  const pending = expected.filter((name) => !test.checks.some((check) => check.name === name));
  const failed = test.checks.find(({ ok, name }) => !ok && !AFTER_PUBLISHING.has(name));
  const passed = test.checks.filter(({ ok, name }) => ok && !AFTER_PUBLISHING.has(name)).length;
  const url = channelUrl(platform, address);
  return (
    <Card
      title={
        <>
          {m.testedAt} <Moment at={at} form="seconds" />
          <span className="without-posting">{m.withoutPosting}</span>
        </>
      }
      aside={
        <>
          {m.passed(format.number(passed), format.number(expected.length))}
          {!failed && onTest && (
            <Button size="small" busy={isTesting} onClick={onTest}>
              {isTesting ? m.testing : m.testAgain}
            </Button>
          )}
        </>
      }
    >
      <ol className="checks" aria-live="polite">
        {test.checks.map((check, index) => (
          <li key={index}>
            <Icon {...lookOf(check)} size={20} />
            <h3>{(check.ok ? m.checkOk : m.checkFailed)[check.name] ?? check.name}</h3>
            {check.ok && (
              <p>
                <GatewayText text={check.message} />
              </p>
            )}
            {check === failed && (
              <div className="check-fix">
                <b>{m.howToFix}</b>
                <p>
                  <GatewayText text={check.message} />
                </p>
                <p className="secondary">{onTest ? m.thenTest : m.thenSave}</p>
                <div className="row">
                  {onTest && (
                    <Button icon="retrying" busy={isTesting} onClick={onTest}>
                      {isTesting ? m.testing : m.testAgain}
                    </Button>
                  )}
                  {url !== null && (
                    <ExternalLink href={url} look="plain">
                      {m.openOn(networkInText(platform))}
                    </ExternalLink>
                  )}
                </div>
              </div>
            )}
            {check !== failed && !check.ok && (
              <p>
                <GatewayText text={check.message} />
              </p>
            )}
            {check.platform_says !== null && (
              <p className="check-says">
                {m.says(networkInText(platform))} “<bdi>{check.platform_says}</bdi>”
              </p>
            )}
          </li>
        ))}
        {failed &&
          pending.map((name) => (
            <li key={name} className="check-pending">
              <Icon name="waiting" size={20} tone="idle" />
              <h3>{m.checkPending[name] ?? name}</h3>
              <p>{m.notYet}</p>
            </li>
          ))}
      </ol>
      {warnings && <SameChat warnings={warnings} />}
    </Card>
  );
};

const lookOf = ({ name, ok }: Api<'ChannelCheck'>): { readonly name: IconName; readonly tone: Tone } => {
  if (ok) return { name: 'published', tone: 'ok' };
  return AFTER_PUBLISHING.has(name) ? { name: 'dismissed', tone: 'idle' } : { name: 'onHold', tone: 'warn' };
};

const SameChat = ({ warnings }: { readonly warnings: readonly Api<'ChannelWarning'>[] }) => {
  const names = useNames();
  if (warnings.length === 0)
    return (
      <p className="card-end tertiary">
        <Icon name="published" tone="ok" />
        <span>{m.noSameChat}</span>
      </p>
    );
  return (
    <div className="card-end">
      <Icon name="onHold" tone="warn" />
      <div>
        <b>{m.sameChat}</b>{' '}
        {warnings.map(({ channel_id: id }, index) => (
          <span key={id}>
            {index > 0 && ', '}
            <Link className="link" to="/channels/$id" params={{ id }}>
              <bdi>{names.channel(id)?.name ?? id}</bdi>
            </Link>
          </span>
        ))}
        {'. '}
        {m.sameChatText}
      </div>
    </div>
  );
};
