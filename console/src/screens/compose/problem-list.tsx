import { problemText } from '../../api/problems.js';
import type { Api } from '../../api/management.js';
import { Card } from '../../components/card.js';
import { Icon } from '../../components/icon.js';
import { GatewayText } from '../../components/sentence.js';
import { useMessages } from '../../i18n/messages.js';
import { fieldOf, showField } from './fields.js';
import { composeMessages } from './messages.js';

/** The problems for which the gateway would refuse the post. Each leads to its field. */
export const ProblemList = ({ problems }: { readonly problems: readonly Api<'ErrorDetail'>[] }) => {
  const m = useMessages(composeMessages);
  return (
    <Card className="compose-problems" title={m.problems}>
      <ul role="alert">
        {problems.map((problem, index) => {
          const field = fieldOf(problem.path);
          const name = (m.field as Readonly<Record<string, string>>)[field.name] ?? m.post;
          return (
            <li key={index}>
              <Icon name="failed" tone="fail" />
              <span>
                <b>{field.index === null ? name : `${name}, ${field.index + 1}`}</b>{' '}
                <GatewayText text={problemText(problem)} />{' '}
                <button type="button" className="link" onClick={() => showField(problem.path)}>
                  {m.goTo}
                </button>
              </span>
            </li>
          );
        })}
      </ul>
    </Card>
  );
};
