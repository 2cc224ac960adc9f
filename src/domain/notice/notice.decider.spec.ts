import { spec } from '../../../test/support/given-when-then.js';
import { notice } from './notice.decider.js';
import type { NoticeRaised } from './notice.events.js';

const data: NoticeRaised['data'] = {
  noticeId: 'ntc_1',
  ownerId: 'own_1',
  kind: 'publication.in_doubt',
  subject: { channelId: 'tgt_1', postId: 'post_1', publicationId: 'pub_1' },
  text: 'The delivery could not be confirmed.',
  at: Date.UTC(2025, 2, 14, 12),
};

describe('a notice to an owner', () => {
  it('is raised with all data that its delivery needs', () =>
    spec(notice)
      .given([])
      .when({ type: 'RaiseNotice', ...data })
      .then([{ type: 'NoticeRaised', data }]));

  it('cannot be raised twice', () =>
    spec(notice)
      .given([{ type: 'NoticeRaised', data }])
      .when({ type: 'RaiseNotice', ...data })
      .then([]));
});
