import type { Random } from '../../e2e/random.js';
import type { NetworkName } from '../../platforms/wire/networks.js';
import type { StandInControl } from '../../support/stand-in-control.js';
import type { PostKind } from '../publish-due-posts/crash-cases.js';
import type { KillPoint } from '../publish-due-posts/kill-points.js';

/** Methods that publish, delete and edit a text; null if the network has none. */
export const METHODS: Readonly<
  Record<NetworkName, { readonly publish: string; readonly remove: string; readonly edit: string | null }>
> = {
  telegram: { publish: 'sendMessage', remove: 'deleteMessage', edit: 'editMessageText' },
  vk: { publish: 'wall.post', remove: 'wall.delete', edit: 'wall.edit' },
  max: { publish: 'POST /messages', remove: 'DELETE /messages', edit: 'PUT /messages' },
  ok: { publish: 'mediatopic.post', remove: 'mediatopic.deleteTopic', edit: null },
};

const REFUSALS: Readonly<Record<NetworkName, object>> = {
  telegram: {
    status: 400,
    body: { ok: false, error_code: 400, description: "Bad Request: message can't be deleted" },
  },
  vk: { status: 200, body: { error: { error_code: 7, error_msg: 'Permission to perform this action is denied' } } },
  max: { status: 403, body: { code: 'access.denied', message: 'Access denied' } },
  ok: { status: 200, body: { error_code: 10, error_msg: 'PERMISSION_DENIED' } },
};

/** What a network does to one call. */
export const FAULTS = {
  'loses the call': () => ({ mode: 'drop_before_accepting' }),
  'loses the answer': () => ({ mode: 'accept_then_drop' }),
  'is overloaded': () => ({ mode: 'answer', status: 503 }),
  'is slow': () => ({ mode: 'delay', delay_ms: 150 }),
  refuses: (network) => ({ mode: 'answer', ...REFUSALS[network] }),
} satisfies Readonly<Record<string, (network: NetworkName) => Parameters<StandInControl['addFault']>[0]>>;
type FaultName = keyof typeof FAULTS;

/** A post on two channels that is taken back, with another post behind it that stays, and may be edited. */
export interface Story {
  readonly kind: PostKind;
  /** True if the first channel is paused when the post is accepted. */
  readonly isPaused: boolean;
  /** What the first channel's network does to one call. */
  readonly faults: { readonly publish: FaultName | null; readonly remove: FaultName | null };
  readonly takeBack: {
    /** The worker, from 1, during whose life it is asked. */
    readonly during: 1 | 2;
    readonly when: 'at once' | 'soon' | 'once it is over';
    readonly delayMs: number;
    readonly isPartial: boolean;
    readonly by: 'client' | 'owner';
    /** Where the process that takes the request is killed: its n-th append for this post. */
    readonly kill: KillPoint | null;
  };
  /** The edit of the post that stays; null if there is none. */
  readonly edit: {
    /** See `takeBack`. */
    readonly during: 1 | 2;
    readonly when: 'soon' | 'once it is over';
    readonly delayMs: number;
    readonly kill: KillPoint | null;
    /** What the first channel's network does to one call that edits. */
    readonly fault: FaultName | null;
  } | null;
  /** Where the first and the second worker are killed on the first channel. */
  readonly kills: readonly [KillPoint | null, KillPoint | null];
  /** True if it is asked again once no worker is killed any more. */
  readonly isAskedAgain: boolean;
}

const KINDS: readonly PostKind[] = ['words', 'words', 'album, then words with buttons', 'photo and sound'];

/** Tells a random story. @param kill the first worker's kill point; random by default */
export const tellStory = (random: Random, kill?: KillPoint): Story => {
  const choose = <T>(items: readonly T[]): T => items[random.below(items.length)]!;
  const oneIn = (n: number): boolean => random.below(n) === 0;
  const killPoint = (end: number): KillPoint => ({ point: random.below(end), when: choose(['before', 'after']) });
  const kind = choose(KINDS);
  const faults: readonly FaultName[] = ['loses the call', 'loses the answer', 'is overloaded', 'is slow'];
  return {
    kind,
    isPaused: oneIn(6),
    faults: {
      publish: kind === 'words' && oneIn(4) ? choose(faults) : null,
      remove: oneIn(3) ? choose([...faults, 'refuses']) : null,
    },
    takeBack: {
      during: oneIn(3) ? 2 : 1,
      when: choose(['at once', 'soon', 'once it is over', 'once it is over']),
      delayMs: random.below(400),
      isPartial: oneIn(5),
      by: choose(['client', 'owner']),
      kill: oneIn(3) ? killPoint(3) : null,
    },
    edit: oneIn(2)
      ? {
          during: oneIn(3) ? 2 : 1,
          when: choose(['soon', 'soon', 'once it is over']),
          delayMs: random.below(800),
          kill: oneIn(3) ? killPoint(3) : null,
          fault: oneIn(3) ? choose(faults) : null,
        }
      : null,
    kills: [kill ?? (oneIn(8) ? null : killPoint(9)), oneIn(3) ? null : killPoint(5)],
    isAskedAgain: oneIn(3),
  };
};
