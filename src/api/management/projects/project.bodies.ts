import type { ProcessingDraft } from '../../../commands/project/sealed-processing.js';
import { given } from '../../../validation/absence.js';
import type { AddressPolicy } from '../../../outbound-http/address-policy.js';
import type { Sent } from '../../../validation/check-fields.js';
import { Must } from '../../../validation/rules.js';
import { fieldsOf, type Reader } from '../request-body.js';
import { checkIds } from '../id-list.js';
import { Is } from '../rules.js';
import { readProcessing } from './processing.js';

class ProjectFields {
  readonly owner_id: unknown;

  @Is.name()
  @Must.bePresent('a name for people, such as "News"')
  readonly name: string;

  @Must.beArray('target ids')
  @Must.bePresent('the ids of its channels, such as ["tgt_…"]; [] for none')
  readonly channel_ids: readonly string[];

  readonly processing: unknown;

  constructor(sent: Sent) {
    this.owner_id = sent.owner_id;
    this.name = given(sent.name) as string;
    this.channel_ids = given(sent.channel_ids) as readonly string[];
    this.processing = given(sent.processing);
  }
}

class ProjectPatch {
  @Is.name()
  readonly name: string | undefined;

  @Must.beArray('target ids')
  readonly channel_ids: readonly string[] | undefined;

  readonly processing: unknown;

  constructor(sent: Sent) {
    this.name = given(sent.name) as string | undefined;
    this.channel_ids = given(sent.channel_ids) as readonly string[] | undefined;
    this.processing = sent.processing;
  }
}

/** Body of POST /projects. */
export interface ProjectDraft {
  readonly name: string;
  readonly channelIds: readonly string[];
  readonly processing: ProcessingDraft;
}

const NONE: ProcessingDraft = { processing: {} };

/** Body of POST /projects. @param policy which addresses a translation service may have */
export const readProject =
  (policy: AddressPolicy): Reader<ProjectDraft> =>
  (sent, problems) => {
    const { name, channel_ids, processing } = fieldsOf(ProjectFields)(sent, problems);
    checkIds(channel_ids, 'channel_ids', 'tgt', problems);
    const read = processing === undefined ? NONE : (readProcessing(processing, policy, problems) ?? NONE);
    return { name, channelIds: channel_ids, processing: read };
  };

/** Body of PATCH /projects/{id}. */
export type ProjectChange = Partial<ProjectDraft>;

/** `processing` is replaced as a whole; null leaves none. */
export const readProjectChange =
  (policy: AddressPolicy): Reader<ProjectChange> =>
  (sent, problems) => {
    const { name, channel_ids, processing } = fieldsOf(ProjectPatch)(sent, problems);
    checkIds(channel_ids, 'channel_ids', 'tgt', problems);
    const read = () => (processing === null ? NONE : readProcessing(processing, policy, problems));
    return { name, channelIds: channel_ids, processing: processing === undefined ? undefined : read() };
  };
