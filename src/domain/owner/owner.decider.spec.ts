import { spec } from '../../../test/support/given-when-then.js';
import { fold } from '../../kernel/decider.js';
import { owner } from './owner.decider.js';
import type { OwnerEvent } from './owner.events.js';

const ownerId = 'own_1';
const registered: OwnerEvent = {
  type: 'OwnerRegistered',
  data: { ownerId, name: 'Anna', plan: 'pro', keyHash: 'a1' },
};

describe('an owner', () => {
  it('is registered with a name, a plan and the hash of a key (D-32)', () =>
    spec(owner)
      .given([])
      .when({ type: 'RegisterOwner', ownerId, name: 'Anna', plan: 'pro', keyHash: 'a1' })
      .then([registered]));

  it('is registered once', () =>
    spec(owner)
      .given([registered])
      .when({ type: 'RegisterOwner', ownerId, name: 'Boris', plan: 'free', keyHash: 'b2' })
      .thenRejected('already_exists'));

  it.each([
    { type: 'ChangeOwner', ownerId, name: 'Boris' },
    { type: 'RotateOwnerKey', ownerId, keyHash: 'b2' },
    { type: 'SetNoticeChat', ownerId, chatId: '-100', secretId: 'sec_1' },
    { type: 'AddPostPack', ownerId, posts: 100 },
  ] as const)('that does not exist knows no $type', (command) =>
    spec(owner).given([]).when(command).thenRejected('not_found'),
  );

  it('does not come to be by events without its beginning', () =>
    spec(owner)
      .given([{ type: 'OwnerRenamed', data: { ownerId, name: 'Boris' } }])
      .when({ type: 'AddPostPack', ownerId, posts: 100 })
      .thenRejected('not_found'));
});

describe('changing an owner', () => {
  it('writes one event for each thing that changes', () =>
    spec(owner)
      .given([registered])
      .when({ type: 'ChangeOwner', ownerId, name: 'Boris', plan: 'maxi' })
      .then([
        { type: 'OwnerRenamed', data: { ownerId, name: 'Boris' } },
        { type: 'OwnerPlanChanged', data: { ownerId, plan: 'maxi' } },
      ]));

  it('leaves alone what was not sent', () =>
    spec(owner)
      .given([registered])
      .when({ type: 'ChangeOwner', ownerId, plan: 'free' })
      .then([{ type: 'OwnerPlanChanged', data: { ownerId, plan: 'free' } }]));

  it('writes nothing where all is as it was', () =>
    spec(owner).given([registered]).when({ type: 'ChangeOwner', ownerId, name: 'Anna', plan: 'pro' }).then([]));

  it('compares with the name and the plan of today, not of the beginning', () =>
    spec(owner)
      .given([
        registered,
        { type: 'OwnerRenamed', data: { ownerId, name: 'Boris' } },
        { type: 'OwnerPlanChanged', data: { ownerId, plan: 'maxi' } },
      ])
      .when({ type: 'ChangeOwner', ownerId, name: 'Anna', plan: 'maxi' })
      .then([{ type: 'OwnerRenamed', data: { ownerId, name: 'Anna' } }]));
});

describe("an owner's key, notices and post packs", () => {
  it('a new key replaces the old one; only its hash is written (D-32)', () =>
    spec(owner)
      .given([registered])
      .when({ type: 'RotateOwnerKey', ownerId, keyHash: 'b2' })
      .then([{ type: 'OwnerKeyRotated', data: { ownerId, keyHash: 'b2' } }]));

  it('the key that was rotated in is the one that holds', () => {
    const rotated: OwnerEvent = { type: 'OwnerKeyRotated', data: { ownerId, keyHash: 'b2' } };
    expect(fold(owner, [registered, rotated])).toMatchObject({ name: 'Anna', plan: 'pro', keyHash: 'b2' });
  });

  it('the notice chat is written with the id of the secret, never the token', () =>
    spec(owner)
      .given([registered])
      .when({ type: 'SetNoticeChat', ownerId, chatId: '-100', secretId: 'sec_1' })
      .then([{ type: 'OwnerNoticeChatSet', data: { ownerId, chatId: '-100', secretId: 'sec_1' } }]));

  it('post packs add up: each one is an event of its own (D-18)', () =>
    spec(owner)
      .given([
        registered,
        { type: 'OwnerNoticeChatSet', data: { ownerId, chatId: '-100', secretId: 'sec_1' } },
        { type: 'PostPackAdded', data: { ownerId, posts: 100 } },
      ])
      .when({ type: 'AddPostPack', ownerId, posts: 100 })
      .then([{ type: 'PostPackAdded', data: { ownerId, posts: 100 } }]));

  it('adds its post packs up (D-18)', () =>
    expect(
      fold(owner, [
        registered,
        { type: 'PostPackAdded', data: { ownerId, posts: 100 } },
        { type: 'PostPackAdded', data: { ownerId, posts: 50 } },
      ]),
    ).toMatchObject({ packPosts: 150 }));
});
