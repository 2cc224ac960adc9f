import type { Api } from '../../api/management.js';
import { useNames } from '../../api/things.js';
import { Card } from '../../components/card.js';
import { Icon, type IconName, NetworkMark, networkTitle, type Tone } from '../../components/icon.js';
import { GatewayText } from '../../components/sentence.js';
import type { EditOutcome } from '../../publications/edit-calls.js';
import { editMessages as m } from './edit-messages.js';
import type { EditCheck } from './use-edit-check.js';

const LOOKS: Readonly<Record<EditOutcome['kind'], { readonly icon: IconName; readonly tone: Tone }>> = {
  edited: { icon: 'check', tone: 'ok' },
  same: { icon: 'check', tone: 'idle' },
  later: { icon: 'waiting', tone: 'idle' },
  afterwards: { icon: 'publishing', tone: 'go' },
  refused: { icon: 'onHold', tone: 'warn' },
  untouched: { icon: 'dismissed', tone: 'idle' },
};

const OutcomeIcon = ({ kind }: Pick<EditOutcome, 'kind'>) => {
  const { icon, tone } = LOOKS[kind];
  return <Icon name={icon} tone={tone} size={14} />;
};

interface EditOutcomesProps {
  readonly publications: Api<'PostWithPayload'>['publications'];
  readonly check: EditCheck;
}

/** What an edit does on each channel, in words, with the reason where a channel keeps the old content. */
export const EditOutcomes = ({ publications, check }: EditOutcomesProps) => {
  const names = useNames();
  return (
    <Card title={m.what} className={`edit-outcomes ${check.isStale ? 'stale' : ''}`}>
      {check.outcomes.size === 0 ? (
        <p className="card-body secondary">{m.whatText}</p>
      ) : (
        <ul>
          {publications.map(({ id, target_id: target, platform }) => {
            const outcome = check.outcomes.get(id);
            return (
              <li key={id}>
                <NetworkMark platform={platform} />
                <span className="edit-channel">
                  <bdi>{names.channel(target)?.name ?? target}</bdi>{' '}
                  <span className="tertiary">{networkTitle(platform)}</span>
                </span>
                {outcome && (
                  <span className="edit-outcome">
                    <OutcomeIcon kind={outcome.kind} />
                    {m.kinds[outcome.kind]}
                  </span>
                )}
                {outcome?.reason && (
                  <p className="secondary">
                    <GatewayText text={outcome.reason} />
                  </p>
                )}
              </li>
            );
          })}
        </ul>
      )}
    </Card>
  );
};
