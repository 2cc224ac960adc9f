import type { LedgerEntry } from '../../../src/stand-ins/kit/ledger.js';
import { NETWORK_NAMES, type NetworkName } from '../../platforms/wire/networks.js';
import type { Random } from '../../e2e/random.js';
import type { Cut } from './kill-points.js';

/** Files that posts name, by what they are. */
export interface Files {
  readonly photo: string;
  readonly sound: string;
}

/** Kinds of post that between them have every named step of publication. */
export const KINDS = {
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

export type KindName = keyof typeof KINDS;
export const KIND_NAMES = Object.keys(KINDS) as KindName[];

/** One kind of post on one network. */
export interface Play {
  readonly network: NetworkName;
  readonly kind: KindName;
}

export const PLAYS: readonly Play[] = NETWORK_NAMES.flatMap((network) => KIND_NAMES.map((kind) => ({ network, kind })));
export const nameOf = ({ network, kind }: Play): string => `${network}: ${kind}`;

/** What happens when nobody dies: the points that a worker comes to, and the messages of each step that readers see. */
export interface Undisturbed {
  readonly points: readonly string[];
  readonly steps: readonly (readonly string[])[];
}

/** A play that is cut short, perhaps twice. */
export interface CrashCase extends Play {
  readonly cut: Cut;
  /** Where whoever goes on dies, too; it may get by without coming so far. */
  readonly again: Cut | null;
}

/** Every named point of every play, before and after. */
export const everyCut = (undisturbed: ReadonlyMap<string, Undisturbed>): CrashCase[] =>
  PLAYS.flatMap((play) =>
    undisturbed
      .get(nameOf(play))!
      .points.flatMap((_, point) =>
        (['before', 'after'] as const).map((when) => ({ ...play, cut: { point, when }, again: null })),
      ),
  );

/** As many cases as asked for: every cut in turn, in an order of chance; of those that come again half die twice. */
export const casesOf = (undisturbed: ReadonlyMap<string, Undisturbed>, count: number, random: Random): CrashCase[] => {
  const all = everyCut(undisturbed);
  if (all.length === 0) throw new Error('a publication without a point');
  const cases: CrashCase[] = [];
  while (cases.length < count) {
    const round = cases.length === 0 ? all : all.map((one) => ({ ...one, again: diesAgain(random) }));
    cases.push(...shuffled(round, random).slice(0, count - cases.length));
  }
  return cases;
};

const diesAgain = (random: Random): Cut | null =>
  random.below(2) === 0 ? null : { point: random.below(4), when: random.below(2) === 0 ? 'before' : 'after' };

const shuffled = <T>(items: readonly T[], random: Random): T[] => {
  const mixed = [...items];
  for (let i = mixed.length - 1; i > 0; i--) {
    const j = random.below(i + 1);
    [mixed[i], mixed[j]] = [mixed[j]!, mixed[i]!];
  }
  return mixed;
};

/** A wall as steps: an album is one, and so is any other message. Each message: kinds of media, and the text. */
export const stepsOn = (wall: readonly LedgerEntry[]): string[][] => {
  const steps: { readonly group: string | null; readonly messages: string[] }[] = [];
  for (const { media, text, group_id: group } of wall) {
    const message = `${media.map(({ type }) => type).join(' ')}|${text}`;
    const last = steps.at(-1);
    if (last && group !== null && last.group === group) last.messages.push(message);
    else steps.push({ group, messages: [message] });
  }
  return steps.map(({ messages }) => messages);
};
