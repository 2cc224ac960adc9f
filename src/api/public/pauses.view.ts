import type { PauseChangeResult } from '../../commands/pause/temp-pause.js';

/** The response to temp-pause and temp-resume (publish-api.md: POST /v1/webhooks/{slug}/temp-resume; D-45, D-53). */
export class PausesView {
  /** Always true. */
  readonly ok = true;
  /** The request id, as in the `X-Request-Id` header. */
  readonly request_id: string;
  /** The number of projects addressed by the request; for temp-resume, the number of projects whose pause it ended. */
  readonly projects_affected: number;
  /**
   * The number of channels, counted in the same way; if the request specifies only projects, the number of their
   * channels (D-45).
   */
  readonly resources_affected: number;
  /** The number of waiting publications whose earliest time changed (D-21). */
  readonly rescheduled_post_targets: number;

  constructor(requestId: string, { projectsAffected, resourcesAffected, rescheduled }: PauseChangeResult) {
    this.request_id = requestId;
    this.projects_affected = projectsAffected;
    this.resources_affected = resourcesAffected;
    this.rescheduled_post_targets = rescheduled;
  }
}
