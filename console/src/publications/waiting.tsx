import { type Names } from '../api/things.js';
import { GatewayText, SentenceText } from '../components/sentence.js';
import { Countdown, NeedsYou } from '../components/time.js';
import { format } from '../i18n/format.js';
import { useMay } from '../session/rights.js';
import { causeOf, describeShortly, type Waiting, waitsForPerson } from './describe-waiting.js';
import { waitingMessages as m } from './messages.js';

export type { Waiting } from './describe-waiting.js';

interface WaitingProps {
  readonly publication: Waiting;
  /** Names of the channels and projects: `useNames()`, called once by the list. */
  readonly names: Pick<Names, 'channel' | 'project'>;
}

/** The reason a publication is waiting, in a few words: `VK asked for a delay`, `Tide Tables is paused`. */
export const WaitingReason = ({
  publication,
  names,
  follows = false,
}: WaitingProps & {
  /** True if the publication that it is waiting for is shown just above it: `publishes right after it`. */
  readonly follows?: boolean;
}) => <SentenceText of={describeShortly(publication, { m, names, format }, follows)} />;

/** Returns the end of a publication's wait, or of the wait of its deletion; null if it is unknown. */
const endOf = ({ state, waiting_for: waitingFor, withdrawal }: Waiting): string | null =>
  (state === 'withdrawing' ? withdrawal?.waiting_for : waitingFor)?.until ?? null;

/** Returns whether this person has to act. An approval is up to those who may approve. */
const useNeedsYou = (publication: Waiting): boolean => {
  const mayApprove = useMay('POST /posts/{id}/approve');
  return waitsForPerson(publication) && (mayApprove || causeOf(publication) !== 'approval');
};

/**
 * The time until a publication goes out automatically, or a note that the reader must act; empty if the time is
 * unknown.
 */
export const WaitingTime = ({ publication }: { readonly publication: Waiting }) => {
  if (useNeedsYou(publication)) return <NeedsYou />;
  if (waitsForPerson(publication)) return null;
  const until = endOf(publication);
  return until === null ? null : <Countdown until={until} />;
};

/** The reason a publication is waiting, and the time left: `VK asked for a delay · 2:14`. */
export const WaitingReasonAndTime = (props: WaitingProps) => {
  const { publication } = props;
  const needsYou = useNeedsYou(publication);
  const hasTime = needsYou || (!waitsForPerson(publication) && endOf(publication) !== null);
  return (
    <>
      <WaitingReason {...props} />
      {hasTime && (
        <>
          {' · '}
          <WaitingTime publication={publication} />
        </>
      )}
    </>
  );
};

/** Explains in the gateway's sentences why a publication waits, or what went wrong. */
export const WaitingExplanation = (props: WaitingProps) => {
  const { state, waiting_for: waitingFor, attempts, withdrawal } = props.publication;
  const text =
    state === 'withdrawing' || state === 'withdrawn' || state === 'withdraw_failed'
      ? (withdrawal?.waiting_for?.text ?? withdrawal?.error?.message)
      : (waitingFor?.text ?? attempts.at(-1)?.error?.message);
  return <p>{text === undefined ? <WaitingReason {...props} /> : <GatewayText text={text} />}</p>;
};
