import './story-view.css';
import { Icon } from '../../components/icon.js';
import { Moment } from '../../components/time.js';
import { format } from '../../i18n/format.js';
import { useNow } from '../../time/server-clock.js';
import { publicationMessages as m } from './messages.js';
import { StepText, type StoryContext } from './step-text.js';
import { type Step, STEP_LOOKS } from './story.js';

/** A publication's story in words: a line for each step, and a dashed line with its length for each wait. */
export const StoryView = ({ steps, ...context }: StoryContext & { readonly steps: readonly Step[] }) => {
  const today = format.day(useNow(60_000));
  const dayOf = (step: Step | undefined): string => (step?.at ? format.day(step.at) : today);
  return (
    <ol className="story">
      {steps.map((step, index) => {
        const look = STEP_LOOKS[step.kind];
        const isNewDay = dayOf(step) !== (index === 0 ? today : dayOf(steps[index - 1]));
        return (
          <li key={step.key} className={step.kind === 'wait' || step.kind === 'now' ? 'waiting' : ''}>
            <span className="story-time">
              {isNewDay && <small>{dayOf(step)}</small>}
              {step.at === null ? m.now : <Moment at={step.at} form="millis" />}
            </span>
            <span className={`story-dot ${look ? '' : 'plain'}`}>
              {look && <Icon name={look.icon} tone={look.tone} />}
            </span>
            <div className="story-text">
              <StepText step={step} context={context} />
            </div>
          </li>
        );
      })}
    </ol>
  );
};
