import { spec } from '../../../test/support/given-when-then.js';
import { fold } from '../../kernel/events.js';
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

  it('cannot be registered twice', () =>
    spec(owner)
      .given([registered])
      .when({ type: 'RegisterOwner', ownerId, name: 'Boris', plan: 'free', keyHash: 'b2' })
      .thenRejected('already_exists'));

  it.each([
    { type: 'ChangeOwner', ownerId, name: 'Boris' },
    { type: 'RotateOwnerKey', ownerId, keyHash: 'b2' },
    { type: 'SetNoticeChat', ownerId, chatId: '-100', secretId: 'sec_1' },
    { type: 'RemoveNoticeChat', ownerId },
    { type: 'AddPostPack', ownerId, posts: 100 },
  ] as const)('rejects $type if it does not exist', (command) =>
    spec(owner).given([]).when(command).thenRejected('not_found'),
  );

  it('does not exist without its first event', () =>
    spec(owner)
      .given([{ type: 'OwnerRenamed', data: { ownerId, name: 'Boris' } }])
      .when({ type: 'AddPostPack', ownerId, posts: 100 })
      .thenRejected('not_found'));
});

describe('changing an owner', () => {
  it('appends one event for each change', () =>
    spec(owner)
      .given([registered])
      .when({ type: 'ChangeOwner', ownerId, name: 'Boris', plan: 'maxi' })
      .then([
        { type: 'OwnerRenamed', data: { ownerId, name: 'Boris' } },
        { type: 'OwnerPlanChanged', data: { ownerId, plan: 'maxi' } },
      ]));

  it('keeps fields that were not sent', () =>
    spec(owner)
      .given([registered])
      .when({ type: 'ChangeOwner', ownerId, plan: 'free' })
      .then([{ type: 'OwnerPlanChanged', data: { ownerId, plan: 'free' } }]));

  it('appends nothing if nothing changes', () =>
    spec(owner).given([registered]).when({ type: 'ChangeOwner', ownerId, name: 'Anna', plan: 'pro' }).then([]));

  it('compares with the current name and plan, not with the first ones', () =>
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
  it('replaces the key and stores only the hash of the new one (D-32)', () =>
    spec(owner)
      .given([registered])
      .when({ type: 'RotateOwnerKey', ownerId, keyHash: 'b2' })
      .then([{ type: 'OwnerKeyRotated', data: { ownerId, keyHash: 'b2' } }]));

  it('uses the new key after a rotation', () => {
    const rotated: OwnerEvent = { type: 'OwnerKeyRotated', data: { ownerId, keyHash: 'b2' } };
    expect(fold(owner, [registered, rotated])).toMatchObject({ name: 'Anna', plan: 'pro', keyHash: 'b2' });
  });

  it('stores the notice chat with the id of the secret, never the token', () =>
    spec(owner)
      .given([registered])
      .when({ type: 'SetNoticeChat', ownerId, chatId: '-100', secretId: 'sec_1' })
      .then([{ type: 'OwnerNoticeChatSet', data: { ownerId, chatId: '-100', secretId: 'sec_1' } }]));

  it('appends an event for each post pack (D-18)', () =>
    spec(owner)
      .given([
        registered,
        { type: 'OwnerNoticeChatSet', data: { ownerId, chatId: '-100', secretId: 'sec_1' } },
        { type: 'PostPackAdded', data: { ownerId, posts: 100 } },
      ])
      .when({ type: 'AddPostPack', ownerId, posts: 100 })
      .then([{ type: 'PostPackAdded', data: { ownerId, posts: 100 } }]));

  it('adds up the posts of all packs (D-18)', () =>
    expect(
      fold(owner, [
        registered,
        { type: 'PostPackAdded', data: { ownerId, posts: 100 } },
        { type: 'PostPackAdded', data: { ownerId, posts: 50 } },
      ]),
    ).toMatchObject({ packPosts: 150 }));
});

describe("an owner's language", () => {
  const register = { type: 'RegisterOwner', ownerId, name: 'Anna', plan: 'pro', keyHash: 'a1' } as const;
  const speaks = (locale: 'en' | 'ru'): OwnerEvent => ({ type: 'OwnerLocaleChanged', data: { ownerId, locale } });

  it('is English unless another one is given at registration', () => {
    spec(owner)
      .given([])
      .when({ ...register, locale: 'en' })
      .then([registered]);
    spec(owner)
      .given([])
      .when({ ...register, locale: 'ru' })
      .then([registered, speaks('ru')]);
    expect(fold(owner, [registered])).toMatchObject({ locale: 'en' });
  });

  it('changes once', () => {
    const change = { type: 'ChangeOwner', ownerId, locale: 'ru' } as const;
    spec(owner)
      .given([registered])
      .when(change)
      .then([speaks('ru')]);
    spec(owner)
      .given([registered, speaks('ru')])
      .when(change)
      .then([]);
    spec(owner)
      .given([registered, speaks('ru')])
      .when({ ...change, locale: 'en' })
      .then([speaks('en')]);
  });
});

describe('the chat for notices', () => {
  const set: OwnerEvent = { type: 'OwnerNoticeChatSet', data: { ownerId, chatId: '-100', secretId: 'sec_1' } };
  const removed: OwnerEvent = { type: 'OwnerNoticeChatRemoved', data: { ownerId } };
  const remove = { type: 'RemoveNoticeChat', ownerId } as const;

  it('is removed once', () => {
    spec(owner).given([registered]).when(remove).then([]);
    spec(owner).given([registered, set]).when(remove).then([removed]);
    spec(owner).given([registered, set, removed]).when(remove).then([]);
  });
});

describe('the deletion of an owner (management-api.md: DELETE)', () => {
  it('is an event, once, after which every command is one to nothing', () => {
    const deleted: OwnerEvent = { type: 'OwnerDeleted', data: { ownerId } };
    spec(owner).given([registered]).when({ type: 'DeleteOwner', ownerId }).then([deleted]);
    for (const command of [
      { type: 'DeleteOwner', ownerId },
      { type: 'ChangeOwner', ownerId, name: 'Mine' },
      { type: 'RotateOwnerKey', ownerId, keyHash: 'b2' },
      { type: 'AddPostPack', ownerId, posts: 5 },
    ] as const)
      spec(owner).given([registered, deleted]).when(command).thenRejected('not_found');
  });
});
