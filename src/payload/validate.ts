import { PUBLIC_ONLY, type AddressPolicy } from '../outbound-http/address-policy.js';
import { checkFields, checkObject, type Sent } from '../validation/check-fields.js';
import { PAYLOAD_MESSAGES } from './messages.js';
import { readButtons, readEntities, readMedia, readTargets } from './read-lists.js';
import { PublishPayloadDto } from './payload.dto.js';
import type { PublishPayload } from './payload.js';
import { findUnknownFields } from './unknown-fields.js';
import { type Problem, ProblemList, type Refused } from '../validation/problem-list.js';
import { isVisible } from '../validation/text-measure.js';

/** A valid payload, or all its problems. */
export type CheckedPayload =
  { readonly ok: true; readonly payload: PublishPayload; readonly problems: readonly Problem[] } | Refused;

/** Most unknown fields that the problem of a post without content names. */
const SHOWN_FIELDS = 3;

/** Describes a post without content, and names the misspelt fields that it may have (D-49). */
const describeMissingContent = (sent: Sent): string => {
  const unknown = findUnknownFields(sent, SHOWN_FIELDS).map((field) =>
    field.nearest === null
      ? PAYLOAD_MESSAGES.notAField({ field: field.path })
      : PAYLOAD_MESSAGES.misspeltField({ field: field.path, nearest: field.nearest }),
  );
  return [PAYLOAD_MESSAGES.nothingToPublish, ...unknown].join('; ');
};

/**
 * Checks a publish payload (publish-api.md: Publish payload, Limits; D-5, D-6, D-43). All problems are reported at once, at
 * most 50; a schema problem makes the answer 422, content problems alone 400. Null and empty fields count as absent, as does
 * a text without visible characters; unknown fields are left out. Nothing is fetched, and the existence of targets is checked
 * later. Linear in the payload (except for sorting entities); never throws.
 *
 * @param value the parsed body
 * @param policy private addresses that media may have; default: none
 */
export const validatePayload = (value: unknown, policy: AddressPolicy = PUBLIC_ONLY): CheckedPayload => {
  const problems = new ProblemList();
  if (!checkObject(value, '', problems)) return problems.refused();
  const dto = new PublishPayloadDto(value);
  checkFields(dto, '', problems);

  const text = dto.text ?? '';
  const entities = readEntities(dto.entities, text, problems);
  const media = readMedia(dto.media, policy, problems);
  const buttons = readButtons(dto.buttons, problems);
  const targets = readTargets(dto.targets, problems);
  const hasText = typeof text !== 'string' || isVisible(text);
  if (!hasText && dto.media === undefined && dto.buttons === undefined)
    problems.add(422, '', 'nothing_to_publish', describeMissingContent(value));
  if (!problems.isEmpty) return problems.refused();

  // Every field now satisfies its rule or is absent. Fields are set one by one: an object made of entries costs ten times as
  // much.
  const payload: Record<string, unknown> = {};
  if (hasText) payload.text = text;
  if (hasText && entities.length > 0) payload.entities = entities;
  if (media.length > 0) payload.media = media;
  if (buttons.length > 0) payload.buttons = buttons;
  if (dto.is_advertisement !== undefined) payload.is_advertisement = dto.is_advertisement;
  if (dto.ad_pause_minutes !== undefined) payload.ad_pause_minutes = dto.ad_pause_minutes;
  if (dto.ad_target_pause_minutes !== undefined) payload.ad_target_pause_minutes = dto.ad_target_pause_minutes;
  if (targets.length > 0) payload.targets = targets;
  if (dto.external_id !== undefined) payload.external_id = dto.external_id;
  if (dto.trace_id !== undefined) payload.trace_id = dto.trace_id;
  if (dto.metadata !== undefined) payload.metadata = dto.metadata;
  return { ok: true, payload, problems: [] };
};
