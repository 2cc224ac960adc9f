import type { LedgerEntry } from '../../../stand-ins/kit/ledger-entry.js';
import type { Random } from '../../e2e/random.js';
import { NETWORK_NAMES, type NetworkName } from '../../platforms/wire/networks.js';
import type { KillPoint } from './kill-points.js';

/** URLs of media files, by kind. */
export interface Files {
  readonly photo: string;
  readonly sound: string;
}

/** Kinds of posts that together cover every named step of publication. */
export const POST_KINDS = {
  words: (text: string) => ({ text, buttons: [[{ text: 'Tides', url: 'https://example.com/' }]] }),
  'album, then words with buttons': (text: string, { photo }: Files) => ({
    text,
    media: [
      { type: 'photo', url: photo },
      { type: 'photo', url: photo },
    ],
    buttons: [[{ text: 'Tides', url: 'https://example.com/' }]],
  }),
  'photo and sound': (text: string, { photo, sound }: Files) => ({
    text,
    media: [
      { type: 'photo', url: photo },
      { type: 'audio', url: sound },
    ],
  }),
  'advertisement that pauses its channel': (text: string) => ({
    text,
    is_advertisement: true,
    ad_target_pause_minutes: 1,
  }),
} satisfies Readonly<Record<string, (text: string, files: Files) => object>>;

export type PostKind = keyof typeof POST_KINDS;
export const KIND_NAMES = Object.keys(POST_KINDS) as PostKind[];

/** One kind of post on one network. */
export interface Scenario {
  readonly network: NetworkName;
  readonly kind: PostKind;
}

export const SCENARIOS: readonly Scenario[] = NETWORK_NAMES.flatMap((network) =>
  KIND_NAMES.map((kind) => ({ network, kind })),
);
export const scenarioName = ({ network, kind }: Scenario): string => `${network}: ${kind}`;

/** A run without a crash: the points that the worker passes, and the messages of each step that readers see. */
export interface ReferenceRun {
  readonly points: readonly string[];
  readonly steps: readonly (readonly string[])[];
}

/** A scenario in which the worker is killed, perhaps twice. */
export interface CrashCase extends Scenario {
  readonly kill: KillPoint;
  /** Point at which the second worker is killed too; it may finish before that point. */
  readonly secondKill: KillPoint | null;
}

/** Lists every named point of every scenario, before and after its effect. */
export const listAllCases = (referenceRuns: ReadonlyMap<string, ReferenceRun>): CrashCase[] =>
  SCENARIOS.flatMap((scenario) =>
    referenceRuns
      .get(scenarioName(scenario))!
      .points.flatMap((_, point) =>
        (['before', 'after'] as const).map((when) => ({ ...scenario, kill: { point, when }, secondKill: null })),
      ),
  );

/**
 * Chooses `count` cases: every kill point in random order, then repeated; half of the repeated cases are killed twice.
 */
export const chooseCases = (
  referenceRuns: ReadonlyMap<string, ReferenceRun>,
  count: number,
  random: Random,
): CrashCase[] => {
  const all = listAllCases(referenceRuns);
  if (all.length === 0) throw new Error('the reference runs have no points');
  const cases: CrashCase[] = [];
  while (cases.length < count) {
    const round = cases.length === 0 ? all : all.map((one) => ({ ...one, secondKill: chooseSecondKill(random) }));
    cases.push(...shuffle(round, random).slice(0, count - cases.length));
  }
  return cases;
};

const chooseSecondKill = (random: Random): KillPoint | null =>
  random.below(2) === 0 ? null : { point: random.below(4), when: random.below(2) === 0 ? 'before' : 'after' };

const shuffle = <T>(items: readonly T[], random: Random): T[] => {
  const mixed = [...items];
  for (let i = mixed.length - 1; i > 0; i--) {
    const j = random.below(i + 1);
    [mixed[i], mixed[j]] = [mixed[j]!, mixed[i]!];
  }
  return mixed;
};

/**
 * Groups a wall into steps: an album is one step, and so is any other message. Messages are shown as
 * their kinds of media and their text.
 */
export const groupIntoSteps = (wall: readonly LedgerEntry[]): string[][] => {
  const steps: { readonly group: string | null; readonly messages: string[] }[] = [];
  for (const { media, text, group_id: group } of wall) {
    const message = `${media.map(({ type }) => type).join(' ')}|${text}`;
    const last = steps.at(-1);
    if (last && group !== null && last.group === group) last.messages.push(message);
    else steps.push({ group, messages: [message] });
  }
  return steps.map(({ messages }) => messages);
};
