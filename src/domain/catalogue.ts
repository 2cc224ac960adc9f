import type { Catalogue } from '../kernel/events.js';
import { archiveEvents } from './archive/archive.events.js';
import { channelEvents } from './channel/channel.events.js';
import { deliveryEvents } from './delivery/delivery.events.js';
import { endpointEvents } from './endpoint/endpoint.events.js';
import { keyEvents } from './key/key.events.js';
import { mediaEvents } from './media/media.events.js';
import { noticeEvents } from './notice/notice.events.js';
import { ownerEvents } from './owner/owner.events.js';
import { channelPauseEvents, projectPauseEvents } from './pause/pause.events.js';
import { postEvents } from './post/post.events.js';
import { projectEvents } from './project/project.events.js';
import { projectionEvents } from './projection/projection.events.js';
import { publicationEvents } from './publication/publication.events.js';
import { recoveryEvents } from './recovery/recovery.events.js';
import { requestLogEvents } from './request-log/request-log.events.js';
import { sagaEvents } from './saga/saga.events.js';
import { translationEvents } from './translation/translation.events.js';
import { webhookOutputEvents } from './webhook-output/webhook-output.events.js';

/** All event types. Each has a golden file, test/domain/golden/<type>.v<version>.json, which must always decode. */
export const catalogue: Catalogue = {
  ...ownerEvents,
  ...channelEvents,
  ...projectEvents,
  ...endpointEvents,
  ...projectPauseEvents,
  ...channelPauseEvents,
  ...postEvents,
  ...publicationEvents,
  ...noticeEvents,
  ...translationEvents,
  ...requestLogEvents,
  ...webhookOutputEvents,
  ...deliveryEvents,
  ...projectionEvents,
  ...sagaEvents,
  ...recoveryEvents,
  ...mediaEvents,
  ...keyEvents,
  ...archiveEvents,
};
