import { fileName } from '../../../../stand-ins/walls/readers-view.js';
import type { Api } from '../../api/management.js';
import { Card } from '../../components/card.js';
import { Icon, networkTitle } from '../../components/icon.js';
import { GatewayText } from '../../components/sentence.js';
import { format } from '../../i18n/format.js';
import type { Draft } from './draft.js';
import { fieldOf, splitOverride } from './fields.js';
import { composeMessages as m } from './messages.js';

/** Maximum length of a post's text, in UTF-16 code units. */
const MAX_TEXT = 15_895;

/** The problems that keep the gateway from accepting the post. Each links to its field. */
export const ProblemList = ({
  draft,
  problems,
  onShow,
}: {
  readonly draft: Draft;
  readonly problems: readonly Api<'ErrorDetail'>[];
  /** Focuses the field at a path. */
  readonly onShow: (path: string) => void;
}) => {
  const nameOf = (path: string): string => {
    const { name, index, place } = fieldOf(path);
    if (name === 'media' && index !== null) return fileName(draft.media[index]?.url ?? '');
    if (name === 'buttons' && index !== null) return draft.buttons[index]?.[place ?? 0]?.text ?? m.field.buttons;
    return (m.field as Readonly<Record<string, string>>)[name] ?? m.post;
  };
  return (
    <Card className="compose-problems" title={m.problems}>
      <div role="alert">
        <ul>
          {problems.map(({ path, code, message }, index) => (
            <li key={index}>
              <Icon name="failed" tone="fail" />
              <span>
                <b>
                  <bdi>{nameOf(path)}</bdi>
                  {splitOverride(path).key !== null && ` · ${networkTitle(splitOverride(path).key ?? '')}`}
                </b>{' '}
                {path === 'text' && code === 'too_long' ? (
                  m.textTooLong(format.number(draft.text.text.length - MAX_TEXT))
                ) : (
                  <GatewayText text={message.startsWith(path) ? message.slice(path.length).trimStart() : message} />
                )}{' '}
                <button type="button" className="link" onClick={() => onShow(path)}>
                  {m.goTo}
                </button>
              </span>
            </li>
          ))}
        </ul>
      </div>
    </Card>
  );
};
