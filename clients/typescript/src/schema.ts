// Written by `npm run openapi` from the document of /openapi.json.

/** The bodies and answers of the API. */
export interface Schemas {
  /** An aggregate as it was at a given time or after a given revision. */
  readonly AggregateHistory: {
    readonly aggregate: string;
    readonly id: string;
    /** The requested time, by default now; with `revision`, the time of that event. */
    readonly at: string;
    readonly state: Readonly<Record<string, unknown>>;
    /** Revision of the last event up to that time or revision. */
    readonly revision: number;
    /** The latest change to each member of `state`: author, time, address, and the value before. */
    readonly changed: Readonly<Record<string, unknown>>;
    /** Oldest first. */
    readonly events: readonly Schemas['HistoricEvent'][];
    /** `from` for the next page of events; null on the last page. */
    readonly next: number | null;
  };
  /** The approval of a post. */
  readonly Approval: {
    readonly state: 'approved' | 'pending' | 'rejected';
    /** Author of the decision: `operator`, `owner:own_…`; null while it is pending. */
    readonly by: string | null;
    /** ISO 8601, UTC; null while it is pending. */
    readonly at: string | null;
    /** The approval note or the rejection reason. */
    readonly note: string | null;
  };
  /** One attempt at publishing. */
  readonly Attempt: {
    /** From 1. */
    readonly n: number;
    /** ISO 8601, UTC. */
    readonly started_at: string;
    /** ISO 8601, UTC; null while the attempt is running. */
    readonly ended_at: string | null;
    /** `published`, `postponed`, `failed`, `in_doubt`; null while the attempt is running, or if another attempt succeeded meanwhile. */
    readonly outcome: string | null;
    /** Classified according to D-35, with the network's own message; null if there was no error. */
    readonly error: Schemas['PublicationError'] | null;
  };
  /** The reason a channel cannot post, and how to fix it. */
  readonly Attention: {
    /** For example `chat_not_found` or `credentials_missing`. */
    readonly code: string;
    /** Explains what was refused and what to do about it. */
    readonly message: string;
    /** The network's own message; null if it gave none. */
    readonly platform_says: string | null;
    /** Time of the refusal (ISO 8601, UTC). */
    readonly since: string;
    /** Possible remedies, most likely first. */
    readonly actions: readonly Schemas['AttentionAction'][];
  };
  /** A remedy for the refusal. */
  readonly AttentionAction: {
    readonly code: 'fix_on_platform' | 'replace_credentials' | 'retry';
    readonly message: string;
    /** Method and path of the call that applies it; null for a change that must be made on the network. */
    readonly call: string | null;
  };
  /** The resources or posts that need attention for one reason. */
  readonly AttentionItem: {
    readonly code:
      | 'approval_needed'
      | 'channel_needs_attention'
      | 'edit_failed'
      | 'endpoint_disabled'
      | 'in_doubt'
      | 'projection_stopped'
      | 'publication_failed'
      | 'published_twice'
      | 'quota_exhausted'
      | 'restored'
      | 'store_unavailable'
      | 'webhook_output_disabled'
      | 'withdraw_failed';
    /** When the first of these started to need attention (ISO 8601, UTC). */
    readonly since: string;
    /** Total number; posts waiting for approval are counted up to 10,000. */
    readonly count: number;
    /** Publications, posts, channels, endpoints, owners, webhook outputs or projections: at most 20, longest first. */
    readonly ids: readonly string[];
    /** Human-readable sentence. */
    readonly text: string;
    /** Null if no API call would help. */
    readonly action: Schemas['OverviewAction'] | null;
    readonly subject: Schemas['AttentionSubject'];
  };
  /** Facts about the first id in `ids`, so that clients can write their own sentence; null if not applicable. */
  readonly AttentionSubject: {
    /** The first id in `ids`; null if `ids` is empty. */
    readonly id: string | null;
    /** Name of the channel, endpoint, owner or projection, or of a post's endpoint; URL of the webhook output. */
    readonly name: string | null;
    readonly owner_id: string | null;
    readonly owner_name: string | null;
    readonly platform: string | null;
    readonly channel_id: string | null;
    readonly channel_name: string | null;
    readonly publication_id: string | null;
    readonly post_id: string | null;
    /** The first 120 characters of the post's text. */
    readonly excerpt: string | null;
    /** Error or refusal code. */
    readonly code: string | null;
    /** The reason. */
    readonly message: string | null;
    /** The network's own message. */
    readonly platform_says: string | null;
    /** Reason why it was disabled: `rate_limits`, `plan`, `gone`, `failures`. */
    readonly disabled_by: string | null;
    /** Queued publications of the channel, up to 10,000. */
    readonly waiting: number | null;
    readonly plan: 'business' | 'free' | 'maxi' | 'mini' | 'pro' | 'standard' | null;
    /** ISO 8601, UTC. */
    readonly resets_at: string | null;
    /** Position of the event at which the projection stopped. */
    readonly position: string | null;
    /** Type of that event. */
    readonly event_type: string | null;
  };
  /** An event in the audit trail or in a trace. */
  readonly AuditedEvent: {
    /** Type of the aggregate that the event belongs to, such as `channel`. */
    readonly aggregate: string;
    /** Null for an event that concerns only an idempotency key. */
    readonly aggregate_id: string | null;
    readonly id: string;
    readonly type: string;
    /** Version of the format in which the event was written; `data` is always in the current format. */
    readonly version: number;
    /** Name of the event's stream. With `revision` and `hash`, it forms the event's entry in the transparency log. */
    readonly stream: string;
    /** Number of the event in its stream, from 0. */
    readonly revision: number;
    /** Global position of the event; a string, because it may exceed JavaScript's safe integer range. */
    readonly position: string;
    /** ISO 8601, UTC. */
    readonly at: string;
    readonly actor: string;
    /** Name of the actor's key at that time; null unless a named key acted. */
    readonly actor_name: string | null;
    /** Empty if no request started the work. */
    readonly request_id: string;
    readonly causation_id: string;
    readonly correlation_id: string;
    /** The client's address; null if no request caused the event directly. */
    readonly ip: string | null;
    /** `erased` if the event was deleted because nothing needed it any more. */
    readonly data: unknown;
    /** True if the content of the event was erased: the members of `data` that held it are null; otherwise absent. */
    readonly content_erased?: true;
    /** The data as it is stored, with its content sealed; absent if nothing in it is sealed. The hash then covers this form, and null as the address. */
    readonly sealed?: unknown;
    /** SHA-256 (hex), chained to the previous event in its stream. */
    readonly hash: string;
  };
  /** Event counts for one bucket of the timeline. */
  readonly Bucket: {
    /** Start of the bucket (ISO 8601, UTC); it ends where the next bucket starts. */
    readonly at: string;
    /** Events of the audit trail. */
    readonly events: number;
    /** Publications that were published. */
    readonly published: number;
    /** Publications that failed. */
    readonly failed: number;
    /** Publications that are in doubt. */
    readonly in_doubt: number;
  };
  /** A request limit in a sliding window. */
  readonly Burst: { readonly requests: number; readonly per_seconds: number };
  /** A URL button: `https://` or `tg://`. */
  readonly Button: { readonly text: string; readonly url: string };
  /** A forecast of what can be changed. A take-back is tried whatever it says. */
  readonly Can: {
    /** Null if only the network knows. */
    readonly withdraw: boolean | null;
    /** Until when the network allows it, ISO 8601, UTC; null if it names no end, and before the publication. */
    readonly withdraw_until: string | null;
    /** What can be edited. */
    readonly edit: readonly ('buttons' | 'media' | 'text')[];
    /** Why something is missing, or why that is not known; null if nothing is. */
    readonly text: string | null;
  };
  /** The result of cancelling a post's planned or queued publications. */
  readonly Cancelled: {
    /** Always true. */
    readonly ok: true;
    /** `post_…` */
    readonly id: string;
    /** The number of publications that were cancelled. */
    readonly cancelled: number;
  };
  /** The result of cancelling a post's planned or queued publications. */
  readonly CancelledPost: {
    /** Number of publications that were cancelled. */
    readonly cancelled: number;
    /** All publications of the post, in the post's order. */
    readonly publications: readonly Schemas['Publication'][];
  };
  /** The response to `cancel-planned`. */
  readonly CancelledPosts: {
    /** Number of posts that this request cancelled. */
    readonly cancelled: number;
  };
  /** A version that is being built alongside the live one. */
  readonly Candidate: {
    readonly version: number;
    readonly position: string;
    readonly state: 'level' | 'rebuilding' | 'stopped';
    /** Events per second. */
    readonly rate: number;
    /** Null until it is known. */
    readonly eta_seconds: number | null;
    /** From 0 to 1. */
    readonly progress: number;
  };
  /** A member of the state that differs between the two times, with the last event that changed it. */
  readonly Change: {
    /** JSON Pointer into `state`. */
    readonly path: string;
    /** Also null if the member was absent. */
    readonly before: unknown;
    readonly after: unknown;
    readonly event_id: string;
    readonly at: string;
    readonly actor: string;
  };
  /** A change to one of many aggregates. */
  readonly ChangeOfAggregate: {
    /** Type of the aggregate that changed, such as `channel`. */
    readonly aggregate: string;
    /** Id of the aggregate; for pauses, the id of the project or channel. */
    readonly id: string;
    /** JSON Pointer into `state`. */
    readonly path: string;
    /** Also null if the member was absent. */
    readonly before: unknown;
    readonly after: unknown;
    readonly event_id: string;
    readonly at: string;
    readonly actor: string;
  };
  /** What the change of messages waits for. */
  readonly ChangeWait: {
    readonly rule: 'needs_attention' | 'platform_limit' | 'retry';
    /** ISO 8601, UTC. */
    readonly until: string;
    /** Human-readable sentence. */
    readonly text: string;
  };
  /** A planned post after a change. */
  readonly ChangedPost: {
    /** Always true. */
    readonly ok: true;
    /** `post_…` */
    readonly id: string;
    /** The time that the post is planned for, or was planned for before its release (ISO 8601, UTC); null if none. */
    readonly publish_at: string | null;
    /** `released` if the change released the post. */
    readonly state: 'planned' | 'released';
    /** Revision of the content and plan, as in `ETag`; it increases by one with each change. */
    readonly revision: number;
    /** The number of channels that the post goes to. */
    readonly queued_targets: number;
  };
  /** A channel as returned by the API. Of its credentials, only the address is included. */
  readonly Channel: {
    /** `tgt_…` */
    readonly id: string;
    readonly owner_id: string;
    readonly platform: string;
    readonly name: string;
    /** The public part of the credentials: the chat or group. */
    readonly address: Readonly<Record<string, string>>;
    /** The settings in effect, defaults included. */
    readonly settings: Schemas['ChannelSettings'];
    readonly status: 'disabled' | 'needs_attention' | 'ok';
    /** The refusal that holds the queue; null if there is none. */
    readonly attention: Schemas['Attention'] | null;
    /** End of the channel's pause (ISO 8601, UTC); null if it is not paused. */
    readonly paused_until: string | null;
    /** `temp-pause`, `management` or `publication`; null if the channel is not paused. */
    readonly pause_source: string | null;
    /** Number of posts in its queue, up to 10,000. */
    readonly waiting: number;
    /** Time of its newest publication (ISO 8601, UTC); null if there is none. */
    readonly last_published_at: string | null;
    /** ISO 8601, UTC. */
    readonly created_at: string;
  };
  /** One check of a channel test, with its result. */
  readonly ChannelCheck: {
    /** `credentials` (who the bot is), `chat`, `rights` (whether it may post there), `withdraw`, `edit` and `statistics` (what is possible afterwards), or a network-specific name. */
    readonly name: string;
    readonly ok: boolean;
    /** Names the bot or chat, or says what is wrong and how to fix it. */
    readonly message: string;
    /** The network's own message, shortened to 500 characters; null if there is none. */
    readonly platform_says: string | null;
  };
  /** One page of a list. */
  readonly ChannelList: {
    readonly items: readonly Schemas['Channel'][];
    /** Cursor of the next page; null on the last page. */
    readonly next: string | null;
  };
  /** Settings of a channel: those of all networks, and those that its network declares. */
  readonly ChannelSettings: {
    readonly on_doubt?: 'hold' | 'resend';
    /** Whether the numbers of its publications are read. */
    readonly statistics?: 'off' | 'on';
  };
  /** A channel's statistics over time. */
  readonly ChannelStatistics: {
    /** `tgt_…` */
    readonly id: string;
    readonly bucket: 'day' | 'hour';
    /** Oldest first, with the empty ones. */
    readonly buckets: readonly Schemas['StatisticsBucket'][];
  };
  /** The result of testing a channel. */
  readonly ChannelTest: {
    /** True if every check of publishing succeeded; `withdraw`, `edit` and `statistics` do not count. */
    readonly ok: boolean;
    readonly checks: readonly Schemas['ChannelCheck'][];
  };
  /** A possible mistake in a channel's setup that does not stop it from publishing. */
  readonly ChannelWarning: {
    readonly code: 'same_chat';
    /** The other channel. */
    readonly channel_id: string;
    readonly message: string;
  };
  /** The result of checking one part of the gateway. */
  readonly Check: {
    readonly name: 'database' | 'discovery' | 'event_store' | 'history' | 'read_models';
    readonly ok: boolean;
    /** Human-readable sentence. */
    readonly message: string;
    /** For `database`: query time, in ms. */
    readonly latency_ms: number | null;
    /** For `event_store`: position of the newest event. For `history`: number of events in the signed log. */
    readonly position: string | null;
    /** For `read_models`: names of read models that have stopped or are far behind, and of sagas that are stuck. */
    readonly degraded: readonly string[];
  };
  /** Replaces a post's content for one network or target, field by field. Null removes a field. */
  readonly ContentOverride: {
    readonly text?: string | null;
    readonly buttons?: readonly (readonly Schemas['Button'][])[] | null;
    readonly media?: readonly (Schemas['Media'] | Schemas['Upload'])[] | null;
    readonly entities?: readonly Schemas['Entity'][] | null;
  };
  /** A warning about content that is accepted. */
  readonly ContentWarning: {
    readonly code: 'host_not_found' | 'looks_like_html' | 'unused_field' | 'unused_override';
    /** Such as `media[0].url`. */
    readonly path: string;
    readonly message: string;
  };
  /** The current state: publications, waits, and things that need attention. */
  readonly CurrentOverview: {
    /** ISO 8601, UTC. */
    readonly at: string;
    readonly role: 'operator' | 'owner';
    /** Null if all owners are shown. */
    readonly owner: Schemas['OverviewOwner'] | null;
    /** One item per code, worst first. */
    readonly attention: readonly Schemas['AttentionItem'][];
    /** All networks. */
    readonly networks: readonly Schemas['Network'][];
    /** At most ten, in their expected order: the next publications and the longest-waiting ones. Publications waiting for a person come last. */
    readonly waiting: readonly Schemas['WaitingPublication'][];
    /** The last 60 minutes, oldest first. */
    readonly minutes: readonly Schemas['Minute'][];
    /** The last 144 ten-minute intervals, oldest first. */
    readonly day: readonly Schemas['TenMinutes'][];
    /** At most 20, newest first. */
    readonly recent: readonly Schemas['Recent'][];
    /** Null for an owner's key. */
    readonly checks: readonly Schemas['Check'][] | null;
    /** Owners whose publications have waited longest, at most ten; null unless all owners are shown. */
    readonly longest: readonly Schemas['LongestWait'][] | null;
  };
  /** A delivery as the API shows it. */
  readonly Delivery: {
    /** `dlv_…`; its UUID is the `webhook-id` of every attempt. */
    readonly id: string;
    readonly webhook_output_id: string;
    readonly kind:
      | 'channel.needs_attention'
      | 'endpoint.disabled'
      | 'post.approval_needed'
      | 'post.completed'
      | 'post.published'
      | 'post.statistics'
      | 'publication.edit_failed'
      | 'publication.edited'
      | 'publication.failed'
      | 'publication.in_doubt'
      | 'publication.succeeded'
      | 'publication.withdraw_failed'
      | 'publication.withdrawn'
      | 'test.ping';
    readonly state: 'delivered' | 'failed' | 'pending';
    /** The last 50, oldest first. */
    readonly attempts: readonly Schemas['DeliveryAttempt'][];
    /** ISO 8601, UTC; null if no further attempt is planned. */
    readonly next_attempt_at: string | null;
    /** The JSON that is sent; null if the stored body differs from the scheduled one, or if `body_truncated` is true. */
    readonly body: unknown;
    /** True if the body is too large for a list, or older than `DELIVERY_BODY_DAYS`; `GET /deliveries/{id}` shows it. */
    readonly body_truncated?: true;
    /** True if the body was erased: it is null, and the delivery is never sent again. Absent otherwise. */
    readonly content_erased?: true;
    /** ISO 8601, UTC. */
    readonly created_at: string;
  };
  /** One page of a list of what can be archived. */
  readonly DeliveryArchivedList: {
    /** ISO 8601; only on the last page, if what is older is archived: it is still found by its id. */
    readonly archived_before?: string;
    readonly items: readonly Schemas['Delivery'][];
    /** Cursor of the next page; null on the last page. */
    readonly next: string | null;
  };
  /** One attempt at a delivery. */
  readonly DeliveryAttempt: {
    /** Start of the attempt: ISO 8601, UTC. */
    readonly at: string;
    /** HTTP status; null if there was no response. */
    readonly status: number | null;
    readonly latency_ms: number;
    /** The beginning of the response body, or the reason why there was no response; null once it is erased. */
    readonly answer: string | null;
  };
  /** The differences in an aggregate's state between two points in time. */
  readonly Diff: {
    readonly aggregate: string;
    readonly id: string;
    readonly from: Schemas['DiffEnd'];
    readonly to: Schemas['DiffEnd'];
    readonly changes: readonly Schemas['Change'][];
  };
  /** One of the two points in time that are compared, with the aggregate's revision at that time. */
  readonly DiffEnd: {
    readonly at: string;
    /** Null if the aggregate did not exist yet. */
    readonly revision: number | null;
  };
  /** The response to `disable`. */
  readonly DisabledEndpoint: {
    /** Number of its planned posts, which are still published. */
    readonly planned_posts: number;
    /** `ep_…` */
    readonly id: string;
    readonly owner_id: string;
    /** Null if the endpoint has no name. */
    readonly name: string | null;
    readonly slug: string;
    /** URL that clients post to. For a test endpoint, the URL of its sandbox. */
    readonly url: string;
    readonly mode: 'live' | 'test';
    readonly project_ids: readonly string[];
    /** Minimum time between two accepted posts, in seconds. */
    readonly min_interval: number;
    readonly require_signature: boolean;
    readonly require_timestamp: boolean;
    /** IP addresses and CIDRs in canonical form; empty if requests from any address are accepted. */
    readonly ip_allowlist: readonly string[];
    readonly verbose_discovery: boolean;
    /** True if each post waits until an owner or the operator approves it. */
    readonly requires_approval: boolean;
    /** False if clients may not take back or edit what is published through the endpoint. */
    readonly allow_changes: boolean;
    /** True for the endpoint through which the web console publishes. */
    readonly is_console: boolean;
    readonly is_active: boolean;
    /** Null if the endpoint is active. */
    readonly disabled_by: 'owner' | 'plan' | 'rate_limits' | null;
    /** ISO 8601, UTC; null before the first rotation. */
    readonly slug_rotated_at: string | null;
    /** When the previous signing secret becomes invalid; null if only one secret is valid. */
    readonly previous_secret_until: string | null;
    /** ISO 8601, UTC. */
    readonly created_at: string;
  };
  /** The discovery response. Pause ends are shown whether or not discovery is verbose. */
  readonly Discovery: {
    readonly endpoint: Schemas['InfoEndpoint'];
    readonly projects: readonly Schemas['InfoProject'][];
    /** Entity types, media types and limits for payloads. */
    readonly capabilities: {
      readonly entity_types: readonly (
        | 'blockquote'
        | 'bold'
        | 'code'
        | 'custom_emoji'
        | 'email'
        | 'expandable_blockquote'
        | 'hashtag'
        | 'italic'
        | 'mention'
        | 'phone_number'
        | 'pre'
        | 'spoiler'
        | 'strikethrough'
        | 'text_link'
        | 'underline'
        | 'url'
      )[];
      readonly media_types: readonly ('audio' | 'photo' | 'video')[];
      readonly limits: {
        readonly max_text_length: 15895;
        readonly max_media: 10;
        readonly max_buttons_rows: 8;
        readonly max_buttons_per_row: 8;
        readonly max_payload_bytes: 5242880;
        readonly max_pause_minutes: 1440;
        readonly max_schedule_days: 366;
      };
      readonly features: readonly (
        'edit' | 'media_upload' | 'overrides' | 'pin' | 'publish_at' | 'silent' | 'statistics' | 'withdraw'
      )[];
    };
  };
  /** A draft, without its content. */
  readonly Draft: {
    /** `drf_…` */
    readonly id: string;
    readonly owner_id: string;
    /** Endpoint that the post is meant for; null if none is chosen. */
    readonly endpoint_id: string | null;
    readonly title: string | null;
    /** Starts at 1 and rises with each change, as in `ETag`. */
    readonly revision: number;
    /** ISO 8601, UTC. */
    readonly created_at: string;
    /** ISO 8601, UTC. */
    readonly updated_at: string;
    /** The actor of the last change, such as `owner:own_…`. */
    readonly updated_by: string;
  };
  /** One page of a list. */
  readonly DraftList: {
    readonly items: readonly Schemas['Draft'][];
    /** Cursor of the next page; null on the last page. */
    readonly next: string | null;
  };
  /** A draft with its content. */
  readonly DraftWithContent: {
    readonly content: Readonly<Record<string, unknown>>;
    /** `drf_…` */
    readonly id: string;
    readonly owner_id: string;
    /** Endpoint that the post is meant for; null if none is chosen. */
    readonly endpoint_id: string | null;
    readonly title: string | null;
    /** Starts at 1 and rises with each change, as in `ETag`. */
    readonly revision: number;
    /** ISO 8601, UTC. */
    readonly created_at: string;
    /** ISO 8601, UTC. */
    readonly updated_at: string;
    /** The actor of the last change, such as `owner:own_…`. */
    readonly updated_by: string;
  };
  /** Messages of a call that had been given up but succeeded beside another call that was counted. */
  readonly Duplicate: {
    readonly message_ids: readonly string[];
    /** When they were found (ISO 8601, UTC). */
    readonly at: string;
  };
  /** Content that is newer than what readers see on one channel. */
  readonly Edit: {
    /** Revision of the post. */
    readonly revision: number;
    /** `waiting` until messages may be changed; `failed` if they keep the content that they have. */
    readonly state: 'editing' | 'failed' | 'waiting';
    /** Number of tries that did not end it. */
    readonly attempts: number;
    /** Ids of the messages that show the content already. */
    readonly done: readonly string[];
    /** Null if nothing delays it. */
    readonly waiting_for: Schemas['ChangeWait'] | null;
    /** Why it failed, or the latest try did; `message` says what to do. */
    readonly error: Schemas['PublicationError'] | null;
  };
  /** The result of giving a post new content. */
  readonly EditedPost: {
    /** `post_…` */
    readonly id: string;
    /** Revision of the post's content and plan, as in `ETag`. */
    readonly revision: number;
    readonly state: 'planned' | 'released';
    readonly publications: readonly Schemas['EditedPublication'][];
    readonly warnings: readonly Schemas['ContentWarning'][];
  };
  /** The result of giving a post new content. */
  readonly EditedPostStatus: {
    /** Always true. */
    readonly ok: true;
    /** `post_…` */
    readonly id: string;
    /** Revision of the post's content and plan, as in `ETag`. */
    readonly revision: number;
    readonly state: 'planned' | 'released';
    readonly publications: readonly Schemas['EditedPublicationStatus'][];
    readonly warnings: readonly Schemas['ContentWarning'][];
  };
  /** A publication in the answer to an edit. */
  readonly EditedPublication: {
    /** The calls that the edit would make; only in the answer to a dry run. */
    readonly requests?: readonly Schemas['PreviewCall'][];
    /** `pub_…` */
    readonly id: string;
    readonly post_id: string;
    /** The channel. */
    readonly target_id: string;
    readonly platform: string;
    readonly project_id: string;
    /** Sequence number of the publication in its channel, starting at 1; null until its post is released. */
    readonly sequence: number | null;
    readonly state:
      | 'dismissed'
      | 'failed'
      | 'filtered'
      | 'in_doubt'
      | 'planned'
      | 'published'
      | 'publishing'
      | 'queued'
      | 'withdraw_failed'
      | 'withdrawing'
      | 'withdrawn';
    /** Earliest time of the next attempt (ISO 8601, UTC); null if there is none. */
    readonly not_before: string | null;
    /** Null unless it is planned or queued. */
    readonly waiting_for: Schemas['WaitingFor'] | null;
    readonly attempts: readonly Schemas['Attempt'][];
    /** Ids of the network's messages. */
    readonly message_ids: readonly string[];
    readonly urls: readonly string[];
    /** Degradations, and `published_twice` until the duplicate is dismissed. */
    readonly warnings: readonly Schemas['PublicationWarning'][];
    /** ISO 8601, UTC; null if it is not published. */
    readonly published_at: string | null;
    /** Messages that readers see in addition to `message_ids`. They stay listed after they are dismissed. */
    readonly duplicates: readonly Schemas['Duplicate'][];
    /** The latest take-back; null if there was none. */
    readonly withdrawal: Schemas['Withdrawal'] | null;
    /** Revision of the post that readers see; null if it is not published. */
    readonly content_version: number | null;
    /** When a message was last changed, ISO 8601, UTC; null if never. */
    readonly edited_at: string | null;
    /** Newer content; null if readers see the newest, or nothing yet. */
    readonly edit: Schemas['Edit'] | null;
    /** True if a message is pinned, false if it should be; null if it was not asked for. */
    readonly pinned: boolean | null;
    readonly can: Schemas['Can'];
    readonly statistics: Schemas['Statistics'];
  };
  /** A publication in the answer to an edit. */
  readonly EditedPublicationStatus: {
    /** The calls that the edit would make; only in the answer to a dry run. */
    readonly requests?: readonly Schemas['PreviewCall'][];
    /** Zero-based position of the project in the discovery list, or its name if discovery is verbose; null if it is no longer listed. */
    readonly project: string | number | null;
    /** Position of the channel in the project's list, or its name; the same rules apply. */
    readonly target: string | number | null;
    readonly platform: string;
    readonly state:
      | 'dismissed'
      | 'failed'
      | 'filtered'
      | 'in_doubt'
      | 'planned'
      | 'published'
      | 'publishing'
      | 'queued'
      | 'withdraw_failed'
      | 'withdrawing'
      | 'withdrawn';
    /** Ids of the network's messages. */
    readonly message_ids: readonly string[];
    readonly urls: readonly string[];
    /** ISO 8601, UTC; null if it is not published. */
    readonly published_at: string | null;
    /** Error of the latest attempt; null if there was none. */
    readonly error: Schemas['PublicationError'] | null;
    /** The reason why it waits; null unless it is planned or queued. */
    readonly waiting_for: Schemas['Waiting'] | null;
    /** The latest take-back; null if there was none. */
    readonly withdrawal: Schemas['WithdrawalStatus'] | null;
    /** Revision of the post that readers see; null if it is not published. */
    readonly content_version: number | null;
    /** When a message was last changed, ISO 8601, UTC; null if never. */
    readonly edited_at: string | null;
    /** Newer content; null if readers see the newest, or nothing yet. */
    readonly edit: Schemas['Edit'] | null;
    /** True if a message is pinned, false if it should be; null if it was not asked for. */
    readonly pinned: boolean | null;
    readonly can: Schemas['Can'];
    readonly statistics: Schemas['Statistics'];
  };
  /** A log that has ended, because its history could not be continued. */
  readonly EndedLog: {
    readonly origin: string;
    /** Number of entries that its newest known checkpoint covers. */
    readonly size: number;
    /** Root hash of its tree at that size, base64. */
    readonly root: string;
    readonly vkey: string;
    readonly ended_at: string;
    /** `store_reset` or `entries_lost`. */
    readonly reason: string;
    readonly message: string;
    /** Its newest known checkpoint. */
    readonly checkpoint: string;
    /** The same checkpoint with an added line `ended <origin of the next log>`, signed with the ended log's key; null if the key was not available. */
    readonly statement: string | null;
  };
  /** The logs that have ended. */
  readonly EndedLogs: {
    /** In the order they ended. Each log was replaced by the next one, and the last by the current log. */
    readonly items: readonly Schemas['EndedLog'][];
  };
  /** An endpoint as returned by the API, without its token and signing secret. */
  readonly Endpoint: {
    /** `ep_…` */
    readonly id: string;
    readonly owner_id: string;
    /** Null if the endpoint has no name. */
    readonly name: string | null;
    readonly slug: string;
    /** URL that clients post to. For a test endpoint, the URL of its sandbox. */
    readonly url: string;
    readonly mode: 'live' | 'test';
    readonly project_ids: readonly string[];
    /** Minimum time between two accepted posts, in seconds. */
    readonly min_interval: number;
    readonly require_signature: boolean;
    readonly require_timestamp: boolean;
    /** IP addresses and CIDRs in canonical form; empty if requests from any address are accepted. */
    readonly ip_allowlist: readonly string[];
    readonly verbose_discovery: boolean;
    /** True if each post waits until an owner or the operator approves it. */
    readonly requires_approval: boolean;
    /** False if clients may not take back or edit what is published through the endpoint. */
    readonly allow_changes: boolean;
    /** True for the endpoint through which the web console publishes. */
    readonly is_console: boolean;
    readonly is_active: boolean;
    /** Null if the endpoint is active. */
    readonly disabled_by: 'owner' | 'plan' | 'rate_limits' | null;
    /** ISO 8601, UTC; null before the first rotation. */
    readonly slug_rotated_at: string | null;
    /** When the previous signing secret becomes invalid; null if only one secret is valid. */
    readonly previous_secret_until: string | null;
    /** ISO 8601, UTC. */
    readonly created_at: string;
  };
  /** One page of a list. */
  readonly EndpointList: {
    readonly items: readonly Schemas['Endpoint'][];
    /** Cursor of the next page; null on the last page. */
    readonly next: string | null;
  };
  /** An endpoint with its new signing secret: the response to `rotate-secret`. */
  readonly EndpointWithSecret: {
    /** Null in a replayed response: a secret is shown once. */
    readonly signing_secret: string | null;
    /** `ep_…` */
    readonly id: string;
    readonly owner_id: string;
    /** Null if the endpoint has no name. */
    readonly name: string | null;
    readonly slug: string;
    /** URL that clients post to. For a test endpoint, the URL of its sandbox. */
    readonly url: string;
    readonly mode: 'live' | 'test';
    readonly project_ids: readonly string[];
    /** Minimum time between two accepted posts, in seconds. */
    readonly min_interval: number;
    readonly require_signature: boolean;
    readonly require_timestamp: boolean;
    /** IP addresses and CIDRs in canonical form; empty if requests from any address are accepted. */
    readonly ip_allowlist: readonly string[];
    readonly verbose_discovery: boolean;
    /** True if each post waits until an owner or the operator approves it. */
    readonly requires_approval: boolean;
    /** False if clients may not take back or edit what is published through the endpoint. */
    readonly allow_changes: boolean;
    /** True for the endpoint through which the web console publishes. */
    readonly is_console: boolean;
    readonly is_active: boolean;
    /** Null if the endpoint is active. */
    readonly disabled_by: 'owner' | 'plan' | 'rate_limits' | null;
    /** ISO 8601, UTC; null before the first rotation. */
    readonly slug_rotated_at: string | null;
    /** When the previous signing secret becomes invalid; null if only one secret is valid. */
    readonly previous_secret_until: string | null;
    /** ISO 8601, UTC. */
    readonly created_at: string;
  };
  /** Formatting of a range of text; offset and length in UTF-16 code units. */
  readonly Entity: {
    readonly type:
      | 'blockquote'
      | 'bold'
      | 'code'
      | 'custom_emoji'
      | 'email'
      | 'expandable_blockquote'
      | 'hashtag'
      | 'italic'
      | 'mention'
      | 'phone_number'
      | 'pre'
      | 'spoiler'
      | 'strikethrough'
      | 'text_link'
      | 'underline'
      | 'url';
    readonly offset: number;
    readonly length: number;
    readonly url?: string;
    readonly language?: string;
    readonly custom_emoji_id?: string;
  };
  /** An error response body. The specification guarantees `ok` and `errors`. */
  readonly ErrorBody: {
    /** Always false. */
    readonly ok: false;
    /** Human-readable problems, at most 50. Each begins with the body path that it concerns, if any. */
    readonly errors: readonly string[];
    /** Machine-readable error code: snake_case, stable. */
    readonly code: string;
    /** The request id, as in the `X-Request-Id` header. */
    readonly request_id: string;
    /** Machine-readable problems, in the order of `errors`. */
    readonly details: readonly Schemas['ErrorDetail'][];
  };
  /** One problem of a body: its path, a code, and a message that says what is wrong and what to do. */
  readonly ErrorDetail: {
    /** `entities[2].offset`; empty for the body as a whole. */
    readonly path: string;
    readonly code: string;
    readonly message: string;
  };
  /** A filter: a post passes if no `exclude` filter matches and, if there are any `include` filters, at least one of them matches. */
  readonly Filter: {
    readonly mode: 'exclude' | 'include';
    /** Whole words, case-insensitive. */
    readonly words?: readonly string[];
    /** A regular expression in RE2 syntax. */
    readonly pattern?: string;
    /** All networks if absent. */
    readonly platforms?: readonly string[];
  };
  /** A footer to remove: everything from its last occurrence to the end of the text is cut. Either `marker` or `pattern` is set. */
  readonly Footer: { readonly marker?: string; readonly pattern?: string };
  /** An event. Ids of erased secrets in `data` are `erased`. */
  readonly HistoricEvent: {
    readonly id: string;
    readonly type: string;
    /** Version of the format in which the event was written; `data` is always in the current format. */
    readonly version: number;
    /** Name of the event's stream. With `revision` and `hash`, it forms the event's entry in the transparency log. */
    readonly stream: string;
    /** Number of the event in its stream, from 0. */
    readonly revision: number;
    /** Global position of the event; a string, because it may exceed JavaScript's safe integer range. */
    readonly position: string;
    /** ISO 8601, UTC. */
    readonly at: string;
    readonly actor: string;
    /** Name of the actor's key at that time; null unless a named key acted. */
    readonly actor_name: string | null;
    /** Empty if no request started the work. */
    readonly request_id: string;
    readonly causation_id: string;
    readonly correlation_id: string;
    /** The client's address; null if no request caused the event directly. */
    readonly ip: string | null;
    /** `erased` if the event was deleted because nothing needed it any more. */
    readonly data: unknown;
    /** True if the content of the event was erased: the members of `data` that held it are null; otherwise absent. */
    readonly content_erased?: true;
    /** The data as it is stored, with its content sealed; absent if nothing in it is sealed. The hash then covers this form, and null as the address. */
    readonly sealed?: unknown;
    /** SHA-256 (hex), chained to the previous event in its stream. */
    readonly hash: string;
  };
  /** The result of an import. */
  readonly Import: {
    /** Number of imported events, including events that the store already had. */
    readonly events: number;
    /** Number of imported secrets. */
    readonly secrets: number;
    /** False if more lines are still to come; until then, the gateway writes and publishes nothing else. */
    readonly complete: boolean;
  };
  /** The endpoint that discovery describes. */
  readonly InfoEndpoint: {
    readonly slug: string;
    /** Null unless discovery is verbose. */
    readonly name: string | null;
    /** True if discovery shows names. */
    readonly verbose: boolean;
    /** Always true. Absent unless posts require approval. */
    readonly requires_approval?: true;
  };
  /** A project that the endpoint is bound to. */
  readonly InfoProject: {
    /** Zero-based position among the endpoint's projects. */
    readonly index: number;
    /** Null unless discovery is verbose. */
    readonly name: string | null;
    /** The end of the project's pause, ISO 8601; null if it is not paused. */
    readonly paused_until: string | null;
    readonly targets: readonly Schemas['InfoTarget'][];
  };
  /** A channel that receives posts sent to the endpoint. */
  readonly InfoTarget: {
    /** The id that posts and pauses use to refer to the target. */
    readonly id: string;
    readonly platform: string;
    /** Null unless discovery is verbose. */
    readonly name: string | null;
    /** The end of the channel's pause, ISO 8601; null if it is not paused. */
    readonly paused_until: string | null;
  };
  /** A job. */
  readonly Job: {
    readonly id: string;
    readonly kind: string;
    /** Name of the projection that the job rebuilds or verifies; null for other types of jobs. */
    readonly projection: string | null;
    readonly state: 'done' | 'failed' | 'running';
    /** From 0 to 1. */
    readonly progress: number;
    /** Seconds until the job finishes at its current pace; null if that is unknown or the job has finished. */
    readonly eta_seconds: number | null;
    /** Null while the job is running; `{message}` if it failed. */
    readonly result: unknown;
  };
  /** One page of a list. */
  readonly JobList: {
    readonly items: readonly Schemas['Job'][];
    /** Cursor of the next page; null on the last page. */
    readonly next: string | null;
  };
  /** A key for the management API. The key itself is shown once, when it is issued or rotated. */
  readonly Key: {
    /** `key_…` */
    readonly id: string;
    /** Null for an auditor of all owners. */
    readonly owner_id: string | null;
    readonly name: string;
    readonly scopes: readonly ('approve' | 'audit' | 'manage' | 'post' | 'read')[];
    /** The only endpoints that it may use; null for all. */
    readonly endpoint_ids: readonly string[] | null;
    /** True for the owner's own key, which has neither limits nor an expiry and cannot be revoked. */
    readonly is_main: boolean;
    /** ISO 8601, UTC. */
    readonly created_at: string;
    /** ISO 8601, UTC; null if it does not expire. */
    readonly expires_at: string | null;
    /** Null if it was never used. */
    readonly last_used: Schemas['KeyUse'] | null;
    /** How long the key before its rotation also works, ISO 8601; null if it does not. */
    readonly previous_until: string | null;
  };
  /** One page of a list. */
  readonly KeyList: {
    readonly items: readonly Schemas['Key'][];
    /** Cursor of the next page; null on the last page. */
    readonly next: string | null;
  };
  /** When and from where a key was last used, exact to a minute. */
  readonly KeyUse: {
    /** ISO 8601, UTC. */
    readonly at: string;
    /** The client's address. */
    readonly ip: string;
  };
  /** A key that was just issued or rotated. */
  readonly KeyWithSecret: {
    /** Null in a replayed response: a secret is shown once. */
    readonly key: string | null;
    /** `key_…` */
    readonly id: string;
    /** Null for an auditor of all owners. */
    readonly owner_id: string | null;
    readonly name: string;
    readonly scopes: readonly ('approve' | 'audit' | 'manage' | 'post' | 'read')[];
    /** The only endpoints that it may use; null for all. */
    readonly endpoint_ids: readonly string[] | null;
    /** True for the owner's own key, which has neither limits nor an expiry and cannot be revoked. */
    readonly is_main: boolean;
    /** ISO 8601, UTC. */
    readonly created_at: string;
    /** ISO 8601, UTC; null if it does not expire. */
    readonly expires_at: string | null;
    /** Null if it was never used. */
    readonly last_used: Schemas['KeyUse'] | null;
    /** How long the key before its rotation also works, ISO 8601; null if it does not. */
    readonly previous_until: string | null;
  };
  /** An event in the audit trail, with the post that it is about. */
  readonly ListedEvent: {
    /** Null for an event that is not about a post. */
    readonly post_id: string | null;
    /** The first 120 characters of that post's text. */
    readonly excerpt: string | null;
    /** Type of the aggregate that the event belongs to, such as `channel`. */
    readonly aggregate: string;
    /** Null for an event that concerns only an idempotency key. */
    readonly aggregate_id: string | null;
    readonly id: string;
    readonly type: string;
    /** Version of the format in which the event was written; `data` is always in the current format. */
    readonly version: number;
    /** Name of the event's stream. With `revision` and `hash`, it forms the event's entry in the transparency log. */
    readonly stream: string;
    /** Number of the event in its stream, from 0. */
    readonly revision: number;
    /** Global position of the event; a string, because it may exceed JavaScript's safe integer range. */
    readonly position: string;
    /** ISO 8601, UTC. */
    readonly at: string;
    readonly actor: string;
    /** Name of the actor's key at that time; null unless a named key acted. */
    readonly actor_name: string | null;
    /** Empty if no request started the work. */
    readonly request_id: string;
    readonly causation_id: string;
    readonly correlation_id: string;
    /** The client's address; null if no request caused the event directly. */
    readonly ip: string | null;
    /** `erased` if the event was deleted because nothing needed it any more. */
    readonly data: unknown;
    /** True if the content of the event was erased: the members of `data` that held it are null; otherwise absent. */
    readonly content_erased?: true;
    /** The data as it is stored, with its content sealed; absent if nothing in it is sealed. The hash then covers this form, and null as the address. */
    readonly sealed?: unknown;
    /** SHA-256 (hex), chained to the previous event in its stream. */
    readonly hash: string;
  };
  /** One page of a list. */
  readonly ListedEventList: {
    readonly items: readonly Schemas['ListedEvent'][];
    /** Cursor of the next page; null on the last page. */
    readonly next: string | null;
  };
  /** Name of the log and the key that verifies its checkpoints. */
  readonly LogKey: { readonly origin: string; readonly vkey: string };
  /** An owner with waiting publications. */
  readonly LongestWait: {
    readonly owner_id: string;
    readonly owner_name: string;
    /** The rule that holds the oldest publication back; null if none does, or the event store cannot be read. */
    readonly rule:
      | 'approval'
      | 'backlog_spacing'
      | 'channel_pause'
      | 'earlier_publication'
      | 'needs_attention'
      | 'pace'
      | 'platform_limit'
      | 'project_pause'
      | 'quota'
      | 'restored'
      | 'retry'
      | 'scheduled'
      | 'share'
      | null;
    /** The network of the oldest publication. */
    readonly platform: string;
    /** Number of the owner's queued publications, on all networks. */
    readonly posts: number;
    /** When the oldest publication was accepted (ISO 8601, UTC). */
    readonly oldest_at: string;
  };
  /** An uploaded file in a list. */
  readonly ManagedMedia: {
    readonly owner_id: string;
    /** True if the store lacks the file, for example after an import; otherwise absent. */
    readonly missing?: true;
    /** `med_…` */
    readonly id: string;
    /** Detected from the bytes, like `mime`. */
    readonly type: 'audio' | 'photo' | 'video';
    readonly mime: string;
    readonly bytes: number;
    /** Hex. */
    readonly sha256: string;
    /** Null if the client gave it no name. */
    readonly filename: string | null;
    /** Pixels; null if unknown. */
    readonly width: number | null;
    readonly height: number | null;
    /** Null if unknown. */
    readonly duration_seconds: number | null;
    /** Public address of the file, which needs no key. */
    readonly url: string;
    /** ISO 8601, UTC. */
    readonly created_at: string;
    /** ISO 8601, UTC; null while something needs the file. */
    readonly expires_at: string | null;
    /** What the file is kept for; null if nothing needs it. */
    readonly kept_for: 'link' | 'post' | 'series' | null;
  };
  /** One page of a list. */
  readonly ManagedMediaList: {
    readonly items: readonly Schemas['ManagedMedia'][];
    /** Cursor of the next page; null on the last page. */
    readonly next: string | null;
  };
  /** Who the caller is, and what its key may do. */
  readonly Me: {
    readonly role: 'auditor' | 'operator' | 'owner';
    /** Null for the operator, and for an auditor of all owners. */
    readonly owner: Schemas['MyOwner'] | null;
    /** Null for the operator's own key. */
    readonly key: Schemas['MyKey'] | null;
  };
  /** A file at a URL. */
  readonly Media: { readonly type: 'audio' | 'photo' | 'video'; readonly url: string };
  /** An uploaded file and the posts that need it. */
  readonly MediaDetails: {
    readonly used_by: Schemas['MediaUsers'];
    readonly owner_id: string;
    /** True if the store lacks the file, for example after an import; otherwise absent. */
    readonly missing?: true;
    /** `med_…` */
    readonly id: string;
    /** Detected from the bytes, like `mime`. */
    readonly type: 'audio' | 'photo' | 'video';
    readonly mime: string;
    readonly bytes: number;
    /** Hex. */
    readonly sha256: string;
    /** Null if the client gave it no name. */
    readonly filename: string | null;
    /** Pixels; null if unknown. */
    readonly width: number | null;
    readonly height: number | null;
    /** Null if unknown. */
    readonly duration_seconds: number | null;
    /** Public address of the file, which needs no key. */
    readonly url: string;
    /** ISO 8601, UTC. */
    readonly created_at: string;
    /** ISO 8601, UTC; null while something needs the file. */
    readonly expires_at: string | null;
    /** What the file is kept for; null if nothing needs it. */
    readonly kept_for: 'link' | 'post' | 'series' | null;
  };
  /** The response to an upload. */
  readonly MediaUpload: {
    /** Always true. */
    readonly ok: true;
    /** `med_…` */
    readonly id: string;
    /** Detected from the bytes, like `mime`. */
    readonly type: 'audio' | 'photo' | 'video';
    readonly mime: string;
    readonly bytes: number;
    /** Hex. */
    readonly sha256: string;
    /** Null if the client gave it no name. */
    readonly filename: string | null;
    /** Pixels; null if unknown. */
    readonly width: number | null;
    readonly height: number | null;
    /** Null if unknown. */
    readonly duration_seconds: number | null;
    /** Public address of the file, which needs no key. */
    readonly url: string;
    /** ISO 8601, UTC. */
    readonly created_at: string;
    /** ISO 8601, UTC; null while something needs the file. */
    readonly expires_at: string | null;
    /** What the file is kept for; null if nothing needs it. */
    readonly kept_for: 'link' | 'post' | 'series' | null;
  };
  /** The posts that need a file. */
  readonly MediaUsers: {
    readonly count: number;
    /** At most 50. */
    readonly post_ids: readonly string[];
  };
  /** Publication counts for one minute. */
  readonly Minute: {
    /** Start of the minute (ISO 8601, UTC). */
    readonly at: string;
    readonly published: number;
    readonly failed: number;
    readonly in_doubt: number;
  };
  /** The caller's key. */
  readonly MyKey: {
    readonly id: string;
    readonly name: string;
    readonly scopes: readonly ('approve' | 'audit' | 'manage' | 'post' | 'read')[];
    readonly endpoint_ids: readonly string[] | null;
    /** ISO 8601, UTC; null if it does not expire. */
    readonly expires_at: string | null;
  };
  /** The owner of the caller's key. */
  readonly MyOwner: { readonly id: string; readonly name: string };
  /** A channel and its name. */
  readonly NamedChannel: {
    readonly id: string;
    /** Null if the channel was deleted. */
    readonly name: string | null;
  };
  /** The traffic of one network. */
  readonly Network: {
    readonly platform: string;
    /** `in_doubt`: publications are in doubt. `held`: queued publications are waiting for a person or for a pause to end; if all owners are shown, only for a person. `slowed`: the network asked for a delay. `going`: none of these, and something was published within the last hour, is queued or is being published. `idle`: none of the above. */
    readonly state: 'going' | 'held' | 'idle' | 'in_doubt' | 'slowed';
    /** Number of publications in the last 60 minutes. */
    readonly published_hour: number;
    /** Number of queued publications. */
    readonly waiting: number;
    /** When the oldest queued publication was accepted (ISO 8601, UTC); null if none is queued. */
    readonly oldest_at: string | null;
    /** Earliest known end of a wait (ISO 8601, UTC); null if none is known. */
    readonly next_at: string | null;
    readonly in_doubt: number;
    /** Number of failed publications that await a decision. */
    readonly failed: number;
    /** Number of attempts that the network refused in the last 60 minutes. */
    readonly refused_hour: number;
    /** 95th percentile of the time from acceptance to publication in the last 60 minutes, accurate to 5 %; null if nothing was published. */
    readonly p95_seconds: number | null;
    /** ISO 8601, UTC; null if nothing was ever published. */
    readonly last_published_at: string | null;
    /** Publications per five minutes in the last 60 minutes: twelve numbers, oldest first. */
    readonly minutes: readonly number[];
  };
  /** The post as it would be published on one network. */
  readonly NetworkPreview: {
    /** The text for the first channel that the post goes to. */
    readonly text_after_trim: string;
    /** UTF-16 units cut from the original text. */
    readonly trimmed_chars: number;
    /** The calls that publishing would make, in order, channel by channel. */
    readonly requests: readonly Schemas['PreviewCall'][];
    readonly warnings: readonly Schemas['PreviewWarning'][];
    /** What could be changed afterwards, on the first channel that the post goes to. */
    readonly can: Schemas['Can'];
  };
  /** A new endpoint with its secrets: the response to its creation. */
  readonly NewEndpoint: {
    /** Null in a replayed response: a secret is shown once. */
    readonly signing_secret: string | null;
    /** Null in a replayed response: a secret is shown once. */
    readonly token: string | null;
    /** `ep_…` */
    readonly id: string;
    readonly owner_id: string;
    /** Null if the endpoint has no name. */
    readonly name: string | null;
    readonly slug: string;
    /** URL that clients post to. For a test endpoint, the URL of its sandbox. */
    readonly url: string;
    readonly mode: 'live' | 'test';
    readonly project_ids: readonly string[];
    /** Minimum time between two accepted posts, in seconds. */
    readonly min_interval: number;
    readonly require_signature: boolean;
    readonly require_timestamp: boolean;
    /** IP addresses and CIDRs in canonical form; empty if requests from any address are accepted. */
    readonly ip_allowlist: readonly string[];
    readonly verbose_discovery: boolean;
    /** True if each post waits until an owner or the operator approves it. */
    readonly requires_approval: boolean;
    /** False if clients may not take back or edit what is published through the endpoint. */
    readonly allow_changes: boolean;
    /** True for the endpoint through which the web console publishes. */
    readonly is_console: boolean;
    readonly is_active: boolean;
    /** Null if the endpoint is active. */
    readonly disabled_by: 'owner' | 'plan' | 'rate_limits' | null;
    /** ISO 8601, UTC; null before the first rotation. */
    readonly slug_rotated_at: string | null;
    /** When the previous signing secret becomes invalid; null if only one secret is valid. */
    readonly previous_secret_until: string | null;
    /** ISO 8601, UTC. */
    readonly created_at: string;
  };
  /** A new session. `Set-Cookie` has its cookie. */
  readonly NewSession: {
    /** The name in the gateway's headers and keys: `service`. */
    readonly brand: string;
    readonly id: string;
    /** True for the session of the request's own cookie. */
    readonly is_current: boolean;
    readonly is_remembered: boolean;
    /** The browser, as it describes itself; null if it does not. */
    readonly user_agent: string | null;
    /** ISO 8601, UTC. */
    readonly created_at: string;
    /** ISO 8601, UTC; exact to a minute. */
    readonly used_at: string;
    /** ISO 8601, UTC. */
    readonly expires_at: string;
  };
  /** The chat that receives an owner's notices; its bot token is never shown. */
  readonly NoticeChat: { readonly chat_id: string };
  /** How many people saw something, and what they did; null for a number that no network gives. */
  readonly Numbers: {
    readonly views: number | null;
    readonly reactions: number | null;
    readonly comments: number | null;
    readonly shares: number | null;
  };
  /** All endpoints, channels, projects and pauses at a given time. */
  readonly Overview: {
    readonly at: string;
    readonly endpoints: readonly Schemas['PastResource'][];
    readonly channels: readonly Schemas['PastResource'][];
    readonly projects: readonly Schemas['PastResource'][];
    readonly project_pauses: readonly Schemas['PastResource'][];
    readonly channel_pauses: readonly Schemas['PastResource'][];
  };
  /** The API call that resolves an attention item or shows what must be decided. */
  readonly OverviewAction: {
    readonly label_code:
      | 'confirm'
      | 'enable'
      | 'resolve'
      | 'retry'
      | 'review'
      | 'view_all'
      | 'view_plan'
      | 'view_projection'
      | 'view_reason';
    readonly method: 'GET' | 'POST';
    /** Relative to `/manage/v1`. */
    readonly path: string;
  };
  /** The owner whose overview is shown. */
  readonly OverviewOwner: {
    /** `own_…` */
    readonly id: string;
    readonly name: string;
    readonly plan: 'business' | 'free' | 'maxi' | 'mini' | 'pro' | 'standard';
    /** Null if unlimited. */
    readonly posts_left: number | null;
    /** Publications that count against this month's quota. */
    readonly posts_used: number;
    /** Start of the next UTC month, when the quota is reset (ISO 8601). */
    readonly resets_at: string;
  };
  /** An owner as the API shows it. Its API key and its bot's token are never shown again. */
  readonly Owner: {
    /** `own_…` */
    readonly id: string;
    readonly name: string;
    readonly plan: 'business' | 'free' | 'maxi' | 'mini' | 'pro' | 'standard';
    /** Language of notices. */
    readonly locale: 'en' | 'ru';
    /** Null if no chat receives notices. */
    readonly notice_chat: Schemas['NoticeChat'] | null;
    /** Publications that count against this month's quota. */
    readonly posts_used: number;
    /** Null if unlimited. */
    readonly posts_left: number | null;
    /** Start of the next UTC month, when the quota is reset (ISO 8601). */
    readonly resets_at: string;
    /** ISO 8601, UTC. */
    readonly created_at: string;
    /** The owner's limits, from the current limits profile. */
    readonly limits: Schemas['OwnerLimits'];
  };
  /** An owner and the room that its uploaded files take up. */
  readonly OwnerDetails: {
    /** Total size of its uploaded files and what its plan allows, in bytes; `allowed` is null if unlimited. */
    readonly media_bytes: { readonly used: number; readonly allowed: number | null };
    /** `own_…` */
    readonly id: string;
    readonly name: string;
    readonly plan: 'business' | 'free' | 'maxi' | 'mini' | 'pro' | 'standard';
    /** Language of notices. */
    readonly locale: 'en' | 'ru';
    /** Null if no chat receives notices. */
    readonly notice_chat: Schemas['NoticeChat'] | null;
    /** Publications that count against this month's quota. */
    readonly posts_used: number;
    /** Null if unlimited. */
    readonly posts_left: number | null;
    /** Start of the next UTC month, when the quota is reset (ISO 8601). */
    readonly resets_at: string;
    /** ISO 8601, UTC. */
    readonly created_at: string;
    /** The owner's limits, from the current limits profile. */
    readonly limits: Schemas['OwnerLimits'];
  };
  /** The changes to all endpoints, channels, projects and pauses between two points in time. */
  readonly OwnerDiff: {
    readonly from: Schemas['OwnerDiffEnd'];
    readonly to: Schemas['OwnerDiffEnd'];
    /** At most 1,000, in this order: endpoints, channels, projects, project pauses, channel pauses. */
    readonly changes: readonly Schemas['ChangeOfAggregate'][];
    /** True if there are more changes. */
    readonly truncated: boolean;
  };
  /** One of the two points in time that are compared. */
  readonly OwnerDiffEnd: {
    /** ISO 8601, UTC. */
    readonly at: string;
  };
  /** An owner's limits: the limits of its plan, plus the limits common to all plans. */
  readonly OwnerLimits: {
    /** Maximum burst of accepted posts per endpoint. */
    readonly burst: Schemas['Burst'] | null;
    /** Maximum number of accepted posts per endpoint and UTC hour. */
    readonly hourly: number | null;
    /** Maximum number of successful publications per UTC month, not counting post packs. */
    readonly monthly_posts: number | null;
    /** Maximum number of sandbox calls per UTC day. */
    readonly sandbox_daily: number | null;
    readonly webhook_input: boolean;
    readonly webhook_output: boolean;
    /** Caps on an owner's resources and a post's targets. */
    readonly resources: Schemas['ResourceCaps'];
    readonly min_interval: { readonly min: number; readonly max: number; readonly default: number };
    readonly discovery_per_minute: number | null;
    readonly pauses_per_minute: number | null;
    readonly changes_per_minute: number | null;
    readonly management_changes_per_minute: number | null;
    readonly uploads_per_minute: number | null;
    readonly replays_per_minute: number | null;
    readonly probes_per_minute: number | null;
    readonly probe_bytes_per_minute: number | null;
    readonly preview_ms_per_minute: number | null;
    readonly violations_to_disable: number | null;
  };
  /** One page of a list. */
  readonly OwnerList: {
    readonly items: readonly Schemas['Owner'][];
    /** Cursor of the next page; null on the last page. */
    readonly next: string | null;
  };
  /** An owner with its new API key: the response to a registration and to `rotate-key`. */
  readonly OwnerWithKey: {
    /** Null in a replayed response: a secret is shown once. */
    readonly key: string | null;
    /** `own_…` */
    readonly id: string;
    readonly name: string;
    readonly plan: 'business' | 'free' | 'maxi' | 'mini' | 'pro' | 'standard';
    /** Language of notices. */
    readonly locale: 'en' | 'ru';
    /** Null if no chat receives notices. */
    readonly notice_chat: Schemas['NoticeChat'] | null;
    /** Publications that count against this month's quota. */
    readonly posts_used: number;
    /** Null if unlimited. */
    readonly posts_left: number | null;
    /** Start of the next UTC month, when the quota is reset (ISO 8601). */
    readonly resets_at: string;
    /** ISO 8601, UTC. */
    readonly created_at: string;
    /** The owner's limits, from the current limits profile. */
    readonly limits: Schemas['OwnerLimits'];
  };
  /** The past state of an endpoint, channel or project, or of a pause. */
  readonly PastResource: {
    /** Id of the endpoint, project or channel. */
    readonly id: string;
    readonly revision: number;
    readonly state: Readonly<Record<string, unknown>>;
  };
  /** The response to temp-pause and temp-resume. */
  readonly PauseResult: {
    /** Always true. */
    readonly ok: true;
    /** The request id, as in the `X-Request-Id` header. */
    readonly request_id: string;
    /** The number of projects addressed by the request; for temp-resume, the number of projects whose pause it ended. */
    readonly projects_affected: number;
    /** The number of channels, counted in the same way; if the request specifies only projects, the number of their channels. */
    readonly resources_affected: number;
    /** The number of waiting publications whose earliest time changed. */
    readonly rescheduled_post_targets: number;
  };
  /** A probable mistake in the payload that publishing would accept or ignore. */
  readonly PayloadWarning: {
    readonly code: 'host_not_found' | 'looks_like_html' | 'unknown_field' | 'unused_override';
    /** Such as `media[0].ulr`. */
    readonly path: string;
    readonly message: string;
  };
  /** An event whose author is the operator or an owner. */
  readonly PersonChange: {
    /** ISO 8601, UTC. */
    readonly at: string;
    readonly actor: string;
    /** Type of the event. */
    readonly type: string;
    readonly event_id: string;
    /** Type of the aggregate that the event belongs to, such as `channel`. */
    readonly aggregate: string;
    /** Null for an event that concerns only an idempotency key. */
    readonly aggregate_id: string | null;
  };
  /** The limits of one plan, named as in the limits profile; null means unlimited. */
  readonly PlanLimits: {
    /** Maximum burst of accepted posts per endpoint. */
    readonly burst: Schemas['Burst'] | null;
    /** Maximum number of accepted posts per endpoint and UTC hour. */
    readonly hourly: number | null;
    /** Maximum number of successful publications per UTC month, not counting post packs. */
    readonly monthly_posts: number | null;
    /** Maximum number of sandbox calls per UTC day. */
    readonly sandbox_daily: number | null;
    readonly webhook_input: boolean;
    readonly webhook_output: boolean;
    /** Caps on an owner's resources and a post's targets. */
    readonly resources: Schemas['ResourceCaps'];
  };
  /** The current limits profile: the response to `GET /plans`, in the format of a profile file. */
  readonly Plans: {
    readonly plans: {
      readonly free: Schemas['PlanLimits'];
      readonly mini: Schemas['PlanLimits'];
      readonly standard: Schemas['PlanLimits'];
      readonly pro: Schemas['PlanLimits'];
      readonly maxi: Schemas['PlanLimits'];
      readonly business: Schemas['PlanLimits'];
    };
    readonly min_interval: { readonly min: number; readonly max: number; readonly default: number };
    readonly discovery_per_minute: number | null;
    readonly pauses_per_minute: number | null;
    readonly changes_per_minute: number | null;
    readonly management_changes_per_minute: number | null;
    readonly uploads_per_minute: number | null;
    readonly replays_per_minute: number | null;
    readonly probes_per_minute: number | null;
    readonly probe_bytes_per_minute: number | null;
    readonly preview_ms_per_minute: number | null;
    readonly violations_to_disable: number | null;
  };
  /** A post with its publications, without its payload. */
  readonly Post: {
    /** `post_…` */
    readonly id: string;
    readonly endpoint_id: string;
    readonly owner_id: string;
    /** The actor that posted it, such as `endpoint:ep_…` or `owner:own_…`. */
    readonly posted_by: string;
    /** ISO 8601, UTC. */
    readonly accepted_at: string;
    readonly external_id: string | null;
    readonly trace_id: string | null;
    /** As sent; null if there is none, or if `metadata_truncated` is true. */
    readonly metadata: Readonly<Record<string, unknown>> | null;
    /** True if the metadata is too large for a list: `GET /posts/{id}` shows it. Absent otherwise. */
    readonly metadata_truncated?: true;
    /** The first 120 UTF-16 units of the text, cut at a grapheme boundary; null if it has no text. */
    readonly excerpt: string | null;
    /** True if its content was erased: what held it is null. Absent otherwise. */
    readonly content_erased?: true;
    /** Null if the store no longer has the complete, unchanged payload. */
    readonly media_count: number | null;
    /** The time that it was planned for, ISO 8601, UTC; null if none was given. */
    readonly publish_at: string | null;
    /** Time at which its publications entered their queues, ISO 8601, UTC; null if they have not. */
    readonly released_at: string | null;
    /** Null if no approval was required. */
    readonly approval: Schemas['Approval'] | null;
    /** Revision of its content and plan, which starts at 1 and increases by one with each change. */
    readonly revision: number;
    /** One per target, in the order in which discovery lists projects and channels. */
    readonly publications: readonly Schemas['Publication'][];
  };
  /** One page of a list of what can be archived. */
  readonly PostArchivedList: {
    /** ISO 8601; only on the last page, if what is older is archived: it is still found by its id. */
    readonly archived_before?: string;
    readonly items: readonly Schemas['Post'][];
    /** Cursor of the next page; null on the last page. */
    readonly next: string | null;
  };
  /** The numbers of a post on all channels. */
  readonly PostStatistics: {
    /** Sums over the publications; a total is null if all its parts are. */
    readonly totals: Schemas['Numbers'];
    readonly publications: readonly Schemas['PublicationStatistics'][];
    /** `post_…` */
    readonly id: string;
  };
  /** The state of a post, as shown to its endpoint's client. */
  readonly PostStatus: {
    /** Always true. */
    readonly ok: true;
    /** `post_…` */
    readonly id: string;
    /** ISO 8601, UTC. */
    readonly accepted_at: string;
    readonly trace_id: string | null;
    readonly external_id: string | null;
    /** The time that it was planned for, ISO 8601, UTC; null if none was given. */
    readonly publish_at: string | null;
    /** Time at which its publications entered their queues, ISO 8601, UTC; null if they have not, or if the post ended first. */
    readonly released_at: string | null;
    /** Null if no approval was required. */
    readonly approval: Schemas['Approval'] | null;
    /** Revision of its content and plan, which starts at 1 and increases by one with each change. */
    readonly revision: number;
    /** One per target, in discovery order. */
    readonly publications: readonly Schemas['PublicationStatus'][];
  };
  /** A page of an endpoint's posts. */
  readonly PostStatusList: {
    /** Always true. */
    readonly ok: true;
    readonly items: readonly Schemas['PostStatus'][];
    /** Cursor of the next page; null on the last page. */
    readonly next: string | null;
    /** ISO 8601; only on the last page, if older posts are archived: they are still found by their ids. */
    readonly archived_before?: string;
  };
  /** A post with its publications and its payload. */
  readonly PostWithPayload: {
    /** As accepted; null if the store no longer has it complete and unchanged. */
    readonly payload: Schemas['PublishPayload'] | null;
    /** `post_…` */
    readonly id: string;
    readonly endpoint_id: string;
    readonly owner_id: string;
    /** The actor that posted it, such as `endpoint:ep_…` or `owner:own_…`. */
    readonly posted_by: string;
    /** ISO 8601, UTC. */
    readonly accepted_at: string;
    readonly external_id: string | null;
    readonly trace_id: string | null;
    /** As sent; null if there is none, or if `metadata_truncated` is true. */
    readonly metadata: Readonly<Record<string, unknown>> | null;
    /** True if the metadata is too large for a list: `GET /posts/{id}` shows it. Absent otherwise. */
    readonly metadata_truncated?: true;
    /** The first 120 UTF-16 units of the text, cut at a grapheme boundary; null if it has no text. */
    readonly excerpt: string | null;
    /** True if its content was erased: what held it is null. Absent otherwise. */
    readonly content_erased?: true;
    /** Null if the store no longer has the complete, unchanged payload. */
    readonly media_count: number | null;
    /** The time that it was planned for, ISO 8601, UTC; null if none was given. */
    readonly publish_at: string | null;
    /** Time at which its publications entered their queues, ISO 8601, UTC; null if they have not. */
    readonly released_at: string | null;
    /** Null if no approval was required. */
    readonly approval: Schemas['Approval'] | null;
    /** Revision of its content and plan, which starts at 1 and increases by one with each change. */
    readonly revision: number;
    /** One per target, in the order in which discovery lists projects and channels. */
    readonly publications: readonly Schemas['Publication'][];
  };
  /** A call to a network that publishing would make. It never contains credentials. */
  readonly PreviewCall: {
    /** The step of the publication that makes the call. */
    readonly step: string;
    /** The network's own method name. */
    readonly method: string;
    readonly request: Readonly<Record<string, unknown>>;
    /** The channel that the call is made for. */
    readonly target_id: string;
  };
  /** A warning about the post on a network, such as a degradation. */
  readonly PreviewWarning: {
    readonly code: string;
    readonly message: string;
    /** The channel that the warning is for; absent if it is for all of the post's channels on the network. */
    readonly target_id?: string;
  };
  /** The processed text for one network. The network's own limits are not applied; use the sandbox to see them. */
  readonly ProcessedText: {
    /** The processed text, or the original text if the post would not be published. */
    readonly text: string;
    readonly entities: readonly Schemas['Entity'][];
    /** The reason why the post would not be published on this network; null if it would be. */
    readonly filtered: string | null;
    /** A translation that failed, or formatting that was lost. */
    readonly warnings: readonly Schemas['ProcessingWarning'][];
  };
  /** How a project's posts are processed, in the order given in D-28. Every step is optional. */
  readonly Processing: {
    readonly filters?: readonly Schemas['Filter'][];
    readonly footer?: Schemas['Footer'];
    readonly replacements?: readonly Schemas['Replacement'][];
    readonly translation?: Schemas['Translation'];
    readonly signature?: Schemas['Signature'];
  };
  /** The result of a processing preview. */
  readonly ProcessingPreview: {
    /** By network id: the networks of the project's channels, or all networks if it has no channels. */
    readonly platforms: Readonly<Record<string, Schemas['ProcessedText']>>;
  };
  /** A warning about the processed text. */
  readonly ProcessingWarning: { readonly code: string; readonly message: string };
  /** A project as the API shows it. */
  readonly Project: {
    /** `prj_…` */
    readonly id: string;
    readonly owner_id: string;
    readonly name: string;
    readonly channel_ids: readonly string[];
    /** Processing of the project's posts, without the translation service's API key. */
    readonly processing: Schemas['Processing'];
    /** End of the project's pause (ISO 8601, UTC); null if it is not paused. */
    readonly paused_until: string | null;
    /** ISO 8601, UTC. */
    readonly created_at: string;
  };
  /** One page of a list. */
  readonly ProjectList: {
    readonly items: readonly Schemas['Project'][];
    /** Cursor of the next page; null on the last page. */
    readonly next: string | null;
  };
  /** A projection. */
  readonly Projection: {
    readonly name: string;
    /** Number of the live version; a rebuild creates the next version. */
    readonly version: number;
    readonly position: string;
    /** Position of the newest event. */
    readonly head: string;
    /** Number of events not applied yet; above a thousand, estimated as the difference between the positions. */
    readonly lag_events: number;
    /** Age of the oldest event that is not applied yet. */
    readonly lag_seconds: number;
    /** Events per second. */
    readonly rate: number;
    readonly state: 'level' | 'live' | 'rebuilding' | 'stopped';
    /** Null unless it has stopped. */
    readonly error: Schemas['ProjectionError'] | null;
    /** Number of events that operators have skipped. */
    readonly skipped: number;
    readonly candidate: Schemas['Candidate'] | null;
    /** The previous live version, the target of a rollback; null if there is none. */
    readonly previous: number | null;
  };
  /** The event at which a projection has stopped. */
  readonly ProjectionError: {
    readonly message: string;
    readonly event_id: string;
    readonly position: string;
    readonly type: string;
  };
  /** One page of a list. */
  readonly ProjectionList: {
    readonly items: readonly Schemas['Projection'][];
    /** Cursor of the next page; null on the last page. */
    readonly next: string | null;
  };
  /** A post's publication on one channel. */
  readonly Publication: {
    /** `pub_…` */
    readonly id: string;
    readonly post_id: string;
    /** The channel. */
    readonly target_id: string;
    readonly platform: string;
    readonly project_id: string;
    /** Sequence number of the publication in its channel, starting at 1; null until its post is released. */
    readonly sequence: number | null;
    readonly state:
      | 'dismissed'
      | 'failed'
      | 'filtered'
      | 'in_doubt'
      | 'planned'
      | 'published'
      | 'publishing'
      | 'queued'
      | 'withdraw_failed'
      | 'withdrawing'
      | 'withdrawn';
    /** Earliest time of the next attempt (ISO 8601, UTC); null if there is none. */
    readonly not_before: string | null;
    /** Null unless it is planned or queued. */
    readonly waiting_for: Schemas['WaitingFor'] | null;
    readonly attempts: readonly Schemas['Attempt'][];
    /** Ids of the network's messages. */
    readonly message_ids: readonly string[];
    readonly urls: readonly string[];
    /** Degradations, and `published_twice` until the duplicate is dismissed. */
    readonly warnings: readonly Schemas['PublicationWarning'][];
    /** ISO 8601, UTC; null if it is not published. */
    readonly published_at: string | null;
    /** Messages that readers see in addition to `message_ids`. They stay listed after they are dismissed. */
    readonly duplicates: readonly Schemas['Duplicate'][];
    /** The latest take-back; null if there was none. */
    readonly withdrawal: Schemas['Withdrawal'] | null;
    /** Revision of the post that readers see; null if it is not published. */
    readonly content_version: number | null;
    /** When a message was last changed, ISO 8601, UTC; null if never. */
    readonly edited_at: string | null;
    /** Newer content; null if readers see the newest, or nothing yet. */
    readonly edit: Schemas['Edit'] | null;
    /** True if a message is pinned, false if it should be; null if it was not asked for. */
    readonly pinned: boolean | null;
    readonly can: Schemas['Can'];
    readonly statistics: Schemas['Statistics'];
  };
  /** The error of a failed publication; the same fields as a publisher's error. */
  readonly PublicationError: {
    readonly code: string;
    readonly category: string;
    readonly source: string;
    readonly message: string;
    /** Null once it is erased. */
    readonly platform_says?: string | null;
  };
  /** A publication's statistics, with all samples that are kept. */
  readonly PublicationStatistics: {
    /** `pub_…` */
    readonly id: string;
    /** The channel. */
    readonly target_id: string;
    readonly platform: string;
    readonly statistics: Schemas['Statistics'];
    /** Oldest first; once they have expired, only the last. */
    readonly samples: readonly Schemas['Sample'][];
  };
  /** A publication, as shown to the client of the post's endpoint. */
  readonly PublicationStatus: {
    /** Zero-based position of the project in the discovery list, or its name if discovery is verbose; null if it is no longer listed. */
    readonly project: string | number | null;
    /** Position of the channel in the project's list, or its name; the same rules apply. */
    readonly target: string | number | null;
    readonly platform: string;
    readonly state:
      | 'dismissed'
      | 'failed'
      | 'filtered'
      | 'in_doubt'
      | 'planned'
      | 'published'
      | 'publishing'
      | 'queued'
      | 'withdraw_failed'
      | 'withdrawing'
      | 'withdrawn';
    /** Ids of the network's messages. */
    readonly message_ids: readonly string[];
    readonly urls: readonly string[];
    /** ISO 8601, UTC; null if it is not published. */
    readonly published_at: string | null;
    /** Error of the latest attempt; null if there was none. */
    readonly error: Schemas['PublicationError'] | null;
    /** The reason why it waits; null unless it is planned or queued. */
    readonly waiting_for: Schemas['Waiting'] | null;
    /** The latest take-back; null if there was none. */
    readonly withdrawal: Schemas['WithdrawalStatus'] | null;
    /** Revision of the post that readers see; null if it is not published. */
    readonly content_version: number | null;
    /** When a message was last changed, ISO 8601, UTC; null if never. */
    readonly edited_at: string | null;
    /** Newer content; null if readers see the newest, or nothing yet. */
    readonly edit: Schemas['Edit'] | null;
    /** True if a message is pinned, false if it should be; null if it was not asked for. */
    readonly pinned: boolean | null;
    readonly can: Schemas['Can'];
    readonly statistics: Schemas['Statistics'];
  };
  /** A degradation of a post. */
  readonly PublicationWarning: { readonly code: string; readonly message: string };
  /** A publish payload that passed every check. Absent and empty fields are omitted. */
  readonly PublishPayload: {
    readonly text?: string;
    readonly entities?: readonly Schemas['Entity'][];
    readonly media?: readonly (Schemas['Media'] | Schemas['Upload'])[];
    readonly buttons?: readonly (readonly Schemas['Button'][])[];
    readonly is_advertisement?: boolean;
    /** True if readers should get no notification. */
    readonly silent?: boolean;
    /** True if the post should be pinned once it is published. */
    readonly pin?: boolean;
    readonly ad_pause_minutes?: number;
    readonly ad_target_pause_minutes?: number;
    readonly targets?: readonly { readonly id: string }[];
    readonly external_id?: string;
    readonly trace_id?: string;
    readonly metadata?: Readonly<Record<string, unknown>>;
    /** Content that differs by network or target. */
    readonly overrides?: Readonly<Record<string, Schemas['ContentOverride']>>;
    /** RFC 3339 date-time, as it was sent. */
    readonly publish_at?: string;
  };
  /** The response to an accepted post and to its replays. */
  readonly PublishResult: {
    /** Always true. */
    readonly ok: true;
    /** The post id; null if no post was created because the endpoint has no project. */
    readonly id: string | null;
    /** `trace_id` of the body; null if it had none. */
    readonly trace_id: string | null;
    /** The number of channels that the post goes to. */
    readonly queued_targets: number;
    /** The time that the post is planned for, ISO 8601, UTC; null if it only waits for approval. Absent unless the post is planned. */
    readonly publish_at?: string | null;
    /** Absent unless the post waits for its release. */
    readonly state?: 'planned';
  };
  /** A publication in a channel's gapless sequence. */
  readonly Receipt: {
    /** Number of the publication in its channel, from 1. */
    readonly sequence: number;
    readonly post_id: string;
    readonly publication_id: string;
    readonly state:
      | 'dismissed'
      | 'failed'
      | 'filtered'
      | 'in_doubt'
      | 'planned'
      | 'published'
      | 'publishing'
      | 'queued'
      | 'withdraw_failed'
      | 'withdrawing'
      | 'withdrawn';
    /** Message ids on the network. */
    readonly message_ids: readonly string[];
    /** ISO 8601, UTC; null if it is not published. */
    readonly published_at: string | null;
  };
  /** One page of a list of what can be archived. */
  readonly ReceiptArchivedList: {
    /** ISO 8601; only on the last page, if what is older is archived: it is still found by its id. */
    readonly archived_before?: string;
    readonly items: readonly Schemas['Receipt'][];
    /** Cursor of the next page; null on the last page. */
    readonly next: string | null;
  };
  /** A recent event. Only the latest event of each publication or resource is shown. */
  readonly Recent: {
    /** ISO 8601, UTC. */
    readonly at: string;
    readonly kind:
      | 'channel_needs_attention'
      | 'dismissed'
      | 'endpoint_disabled'
      | 'failed'
      | 'filtered'
      | 'in_doubt'
      | 'postponed'
      | 'published'
      | 'publishing'
      | 'webhook_output_disabled';
    /** Null for an endpoint or webhook output. */
    readonly platform: string | null;
    readonly publication_id: string | null;
    readonly post_id: string | null;
    /** The first 120 characters of the post's text. */
    readonly excerpt: string | null;
    /** The channel, endpoint or webhook output that stopped working; null for a publication. */
    readonly resource_id: string | null;
    /** Name of the channel or endpoint, or URL of the webhook output. */
    readonly name: string | null;
  };
  /** The latest recovery from lost events, and what it still holds. */
  readonly Recovery: {
    /** `held` while posts wait for a decision. */
    readonly state: 'held' | 'none';
    /** ISO 8601, UTC: RESTORED_AT, or the time at which the loss was noticed; null if nothing was ever lost. */
    readonly restored_at: string | null;
    /** Null if nothing was ever lost. */
    readonly noticed_by: 'running' | 'setting' | 'start' | null;
    /** Null if unknown. */
    readonly lost_events: number | null;
    /** Time of the last event that is left (ISO 8601, UTC); null if there is none. */
    readonly from: string | null;
    /** Time up to which events may be lost (ISO 8601, UTC); null if nothing was ever lost. */
    readonly until: string | null;
    /** Number of planned posts that are held. */
    readonly planned: number;
    /** Number of publications in doubt. */
    readonly in_doubt: number;
  };
  /** A replacement in the text. */
  readonly Replacement: {
    readonly from: string;
    readonly to: string;
    readonly whole_word?: boolean;
    readonly ignore_case?: boolean;
  };
  /** A request in an endpoint's log. */
  readonly Request: {
    /** The request id that was returned as `X-Request-Id`. */
    readonly id: string;
    /** ISO 8601, UTC. */
    readonly at: string;
    /** The client's address. */
    readonly ip: string;
    readonly user_agent: string | null;
    /** Method and path, with `{slug}` in place of the slug. */
    readonly route: string;
    /** For example `accepted` or `rejected_auth`. */
    readonly decision: string;
    /** Rejection code; null if the request was accepted. */
    readonly reason: string | null;
    readonly http_status: number;
    readonly latency_ms: number;
    /** Size of the body. */
    readonly payload_bytes: number;
    readonly trace_id: string | null;
    /** Null if no post was created. */
    readonly post_id: string | null;
    /** Figures behind the decision; null if there are none. */
    readonly why: Readonly<Record<string, unknown>> | null;
  };
  /** One page of a list. */
  readonly RequestList: {
    readonly items: readonly Schemas['Request'][];
    /** Cursor of the next page; null on the last page. */
    readonly next: string | null;
  };
  /** The caps of one plan; null means unlimited. */
  readonly ResourceCaps: {
    readonly channels: number | null;
    readonly projects: number | null;
    /** Total of live and test endpoints. */
    readonly endpoints: number | null;
    /** Total across all of the owner's projects. */
    readonly webhook_outputs: number | null;
    /** Webhook outputs of one project. */
    readonly outputs_per_project: number | null;
    /** Maximum number of channels that one post may address. */
    readonly targets_per_post: number | null;
    /** Maximum number of posts that wait for their time or for approval. */
    readonly planned_posts: number | null;
    /** Named keys, without the main key and auditors' keys. */
    readonly keys: number | null;
    /** Maximum total size of uploaded files, in bytes. */
    readonly media_bytes: number | null;
  };
  /** The response to `retry-failed`. */
  readonly RetriedOutput: {
    /** Number of deliveries that will be resent. */
    readonly retried: number;
    /** `whk_…` */
    readonly id: string;
    readonly owner_id: string;
    readonly project_id: string;
    readonly url: string;
    readonly kinds: readonly (
      | 'channel.needs_attention'
      | 'endpoint.disabled'
      | 'post.approval_needed'
      | 'post.completed'
      | 'post.published'
      | 'post.statistics'
      | 'publication.edit_failed'
      | 'publication.edited'
      | 'publication.failed'
      | 'publication.in_doubt'
      | 'publication.succeeded'
      | 'publication.withdraw_failed'
      | 'publication.withdrawn'
      | 'test.ping'
    )[];
    readonly is_active: boolean;
    /** Null if the webhook output is active. */
    readonly disabled_by: 'failures' | 'gone' | 'owner' | 'plan' | 'secret' | null;
    /** End of the period in which deliveries are also signed with the previous secret; null if they are not. */
    readonly previous_secret_until: string | null;
    /** ISO 8601, UTC. */
    readonly created_at: string;
  };
  /** The response to `rotate-token`. */
  readonly RotatedToken: {
    /** Number of its planned posts, which may have been sent with the old token. */
    readonly planned_posts: number;
    /** Null in a replayed response: a secret is shown once. */
    readonly token: string | null;
    /** `ep_…` */
    readonly id: string;
    readonly owner_id: string;
    /** Null if the endpoint has no name. */
    readonly name: string | null;
    readonly slug: string;
    /** URL that clients post to. For a test endpoint, the URL of its sandbox. */
    readonly url: string;
    readonly mode: 'live' | 'test';
    readonly project_ids: readonly string[];
    /** Minimum time between two accepted posts, in seconds. */
    readonly min_interval: number;
    readonly require_signature: boolean;
    readonly require_timestamp: boolean;
    /** IP addresses and CIDRs in canonical form; empty if requests from any address are accepted. */
    readonly ip_allowlist: readonly string[];
    readonly verbose_discovery: boolean;
    /** True if each post waits until an owner or the operator approves it. */
    readonly requires_approval: boolean;
    /** False if clients may not take back or edit what is published through the endpoint. */
    readonly allow_changes: boolean;
    /** True for the endpoint through which the web console publishes. */
    readonly is_console: boolean;
    readonly is_active: boolean;
    /** Null if the endpoint is active. */
    readonly disabled_by: 'owner' | 'plan' | 'rate_limits' | null;
    /** ISO 8601, UTC; null before the first rotation. */
    readonly slug_rotated_at: string | null;
    /** When the previous signing secret becomes invalid; null if only one secret is valid. */
    readonly previous_secret_until: string | null;
    /** ISO 8601, UTC. */
    readonly created_at: string;
  };
  /** A saga that follows the log. */
  readonly Saga: {
    readonly name: string;
    /** Position up to which the saga has handled events. Events of other types advance it only every few seconds. */
    readonly position: string;
    /** Position of the newest event. */
    readonly head: string;
    /** Number of events after its position; above a thousand, estimated as the difference between the positions. */
    readonly lag_events: number;
    /** Age of the oldest event after its position. */
    readonly lag_seconds: number;
    /** `retrying`: the last attempt failed; `stopped`: the failing event cannot be read, or is older than a minute. */
    readonly state: 'live' | 'retrying' | 'stopped';
    /** Null unless the saga is failing on an event. */
    readonly error: Schemas['SagaError'] | null;
    /** Number of events that operators have skipped. */
    readonly skipped: number;
  };
  /** The event that a saga cannot handle. */
  readonly SagaError: {
    readonly message: string;
    readonly event_id: string;
    readonly position: string;
    readonly type: string;
  };
  /** One page of a list. */
  readonly SagaList: {
    readonly items: readonly Schemas['Saga'][];
    /** Cursor of the next page; null on the last page. */
    readonly next: string | null;
  };
  /** Numbers at a time. */
  readonly Sample: {
    /** ISO 8601, UTC. */
    readonly at: string;
    readonly views: number | null;
    readonly reactions: number | null;
    readonly comments: number | null;
    readonly shares: number | null;
  };
  /** The sandbox response for a payload that publishing would reject. */
  readonly SandboxErrorBody: {
    /** Always false. */
    readonly would_create_post: false;
    readonly validation: Schemas['SandboxValidation'];
    /** Probable mistakes in the payload. */
    readonly warnings: readonly Schemas['PayloadWarning'][];
    /** Always false. */
    readonly ok: false;
    /** Human-readable problems, at most 50. Each begins with the body path that it concerns, if any. */
    readonly errors: readonly string[];
    /** Machine-readable error code: snake_case, stable. */
    readonly code: string;
    /** The request id, as in the `X-Request-Id` header. */
    readonly request_id: string;
    /** Machine-readable problems, in the order of `errors`. */
    readonly details: readonly Schemas['ErrorDetail'][];
  };
  /** A media file in the payload, as far as it was probed. */
  readonly SandboxMedium: {
    /** Absent for an uploaded file. */
    readonly url?: string;
    /** The id of an uploaded file. */
    readonly id?: string;
    /** Size in units of 1,048,576 bytes; null if unknown. */
    readonly size_mb: number | null;
    /** False if the file has a problem. */
    readonly ok: boolean;
    /** The reason why the file could not be fully probed, which is not an error. */
    readonly note?: string;
  };
  /** The sandbox response for a payload that publishing would accept. */
  readonly SandboxResult: {
    /** Always true. */
    readonly ok: true;
    /** False if no post would be created because the endpoint has no project. */
    readonly would_create_post: boolean;
    readonly validation: Schemas['SandboxValidation'];
    /** Previews, keyed by network id and by the id of each target that has its own override. */
    readonly preview: Readonly<Record<string, Schemas['NetworkPreview']>>;
    /** Probable mistakes in the payload. */
    readonly warnings: readonly Schemas['PayloadWarning'][];
    /** The time that the post would be planned for, ISO 8601, UTC; null if it would only wait for approval. Absent unless it would be planned. */
    readonly publish_at?: string | null;
    /** Always true. Absent unless the post would wait for approval. */
    readonly requires_approval?: true;
  };
  /** The results of validation. */
  readonly SandboxValidation: {
    readonly schema: 'failed' | 'not_checked' | 'passed';
    readonly entities: 'failed' | 'not_checked' | 'passed';
    /** One item per media file, in payload order. */
    readonly media: readonly Schemas['SandboxMedium'][];
  };
  /** The ids of the keys that seal stored secrets, and the progress of replacing SECRETS_KEY. */
  readonly Secrets: {
    /** Id of the SECRETS_KEY of the responding process. */
    readonly key: string;
    /** Id of the key that seals new secrets; differs from `key` until the secrets are resealed. */
    readonly active_key: string;
    /** Ids of the keys in SECRETS_KEY_PREVIOUS. */
    readonly previous_keys: readonly string[];
    /** Ids of old keys that must stay in SECRETS_KEY_PREVIOUS: without them, no process can start. */
    readonly needed_keys: readonly string[];
    /** Number of stored secrets. */
    readonly secrets: number;
    /** Number of stored secrets that are not sealed with `key`. */
    readonly sealed_otherwise: number;
  };
  /** A sign-in of the web console. */
  readonly Session: {
    readonly id: string;
    /** True for the session of the request's own cookie. */
    readonly is_current: boolean;
    readonly is_remembered: boolean;
    /** The browser, as it describes itself; null if it does not. */
    readonly user_agent: string | null;
    /** ISO 8601, UTC. */
    readonly created_at: string;
    /** ISO 8601, UTC; exact to a minute. */
    readonly used_at: string;
    /** ISO 8601, UTC. */
    readonly expires_at: string;
  };
  /** All sessions of a key. */
  readonly Sessions: { readonly items: readonly Schemas['Session'][] };
  /** What POST /recovery/confirm settled. */
  readonly Settled: {
    /** Number of planned posts. */
    readonly planned: number;
    /** Number of publications. */
    readonly in_doubt: number;
  };
  /** A signature below the text, after a blank line. */
  readonly Signature: {
    readonly text: string;
    readonly entities?: readonly Schemas['Entity'][];
    readonly platforms?: readonly string[];
  };
  /** A period when a project or channel was paused, a channel needed attention, or an endpoint was disabled. */
  readonly StateSpan: {
    /** `project_pause`, `channel_pause`, `needs_attention` or `endpoint_disabled`. */
    readonly kind: string;
    /** Id of the project, channel or endpoint. */
    readonly id: string;
    /** ISO 8601, UTC. */
    readonly from: string;
    /** ISO 8601, UTC. For a current pause, its `paused_until`; null for any other span that has not ended. */
    readonly to: string | null;
    /** Id of the event that started the span. */
    readonly event_id: string;
    /** The author of that event. */
    readonly actor: string;
  };
  /** The numbers of a publication, as its network tells them. */
  readonly Statistics: {
    /** `pending` (not read yet), `ok`, `unavailable` (`text` says why), `gone` (missing on the network, or taken back; the last numbers stay) or `off`. */
    readonly state: 'gone' | 'off' | 'ok' | 'pending' | 'unavailable';
    /** Time of the numbers, ISO 8601, UTC; null if there are none. */
    readonly as_of: string | null;
    /** Null if the network does not give this number. */
    readonly views: number | null;
    readonly reactions: number | null;
    readonly comments: number | null;
    /** Reposts. */
    readonly shares: number | null;
    /** Why the numbers are not available, and what would help; null otherwise. */
    readonly text: string | null;
  };
  /** What a channel published in a period, with the sums of the latest numbers. */
  readonly StatisticsBucket: {
    /** Start of the bucket (ISO 8601, UTC). */
    readonly at: string;
    /** Number of publications. */
    readonly published: number;
    readonly views: number | null;
    readonly reactions: number | null;
    readonly comments: number | null;
    readonly shares: number | null;
  };
  /** The request that started a story. */
  readonly StoryRequest: {
    readonly id: string;
    readonly at: string;
    /** Actor whose key was used for the request. */
    readonly actor: string;
    /** Name of the endpoint or the named key at that time; null if the request used neither. */
    readonly key_name: string | null;
    readonly ip: string;
  };
  /** Event counts for ten minutes. */
  readonly TenMinutes: {
    /** Start of the ten minutes (ISO 8601, UTC). */
    readonly at: string;
    /** All events. */
    readonly events: number;
    readonly failed: number;
    readonly in_doubt: number;
  };
  /** A channel with the test result for its new credentials, which are stored even if the test fails or there are warnings. */
  readonly TestedChannel: {
    /** `tgt_…` */
    readonly id: string;
    readonly owner_id: string;
    readonly platform: string;
    readonly name: string;
    /** The public part of the credentials: the chat or group. */
    readonly address: Readonly<Record<string, string>>;
    /** The settings in effect, defaults included. */
    readonly settings: Schemas['ChannelSettings'];
    readonly status: 'disabled' | 'needs_attention' | 'ok';
    /** The refusal that holds the queue; null if there is none. */
    readonly attention: Schemas['Attention'] | null;
    /** End of the channel's pause (ISO 8601, UTC); null if it is not paused. */
    readonly paused_until: string | null;
    /** `temp-pause`, `management` or `publication`; null if the channel is not paused. */
    readonly pause_source: string | null;
    /** Number of posts in its queue, up to 10,000. */
    readonly waiting: number;
    /** Time of its newest publication (ISO 8601, UTC); null if there is none. */
    readonly last_published_at: string | null;
    /** ISO 8601, UTC. */
    readonly created_at: string;
    readonly test: Schemas['ChannelTest'];
    readonly warnings: readonly Schemas['ChannelWarning'][];
  };
  /** Event counts over time, with pauses and changes by people. */
  readonly Ticks: {
    /** ISO 8601, UTC: time of the very first event; null if there is none. */
    readonly first_at: string | null;
    /** ISO 8601, UTC. */
    readonly from: string;
    /** ISO 8601, UTC. */
    readonly to: string;
    readonly buckets: readonly Schemas['Bucket'][];
    /** At most 500 spans that overlap the period, in the order in which they started. */
    readonly spans: readonly Schemas['StateSpan'][];
    /** True if there are more than 500; the longest are shown. */
    readonly spans_truncated: boolean;
    /** At most 500, oldest first. */
    readonly changes: readonly Schemas['PersonChange'][];
    /** True if there are more than 500; the latest are shown. */
    readonly changes_truncated: boolean;
  };
  /** A post with its totals over the publications that match. */
  readonly TopPost: {
    readonly post_id: string;
    /** The first 120 UTF-16 units of the text, cut at a grapheme boundary; null if it has no text. */
    readonly excerpt: string | null;
    /** Time of the first publication, ISO 8601, UTC. */
    readonly published_at: string;
    readonly totals: Schemas['Numbers'];
  };
  /** Posts with the highest number first, equal ones newest first. */
  readonly TopPosts: { readonly items: readonly Schemas['TopPost'][] };
  /** All events with the same origin, and the request that started them. */
  readonly Trace: {
    readonly id: string;
    /** Null if no request started it. */
    readonly request: Schemas['StoryRequest'] | null;
    /** Oldest first. */
    readonly events: readonly Schemas['AuditedEvent'][];
  };
  /** Translation by a LibreTranslate-compatible service. */
  readonly Translation: {
    readonly provider: 'libretranslate';
    readonly url: string;
    /** Id of the encrypted API key (`{ api_key }`); absent if the service needs none. */
    readonly api_key_id?: string;
    /** Language codes; the source may be `auto`. */
    readonly source: string;
    readonly target: string;
    readonly on_failure: 'publish_original' | 'retry';
  };
  /** An uploaded file, as posts name it. */
  readonly Upload: {
    /** Filled in before the post is accepted, if the client left it out. */
    readonly type: 'audio' | 'photo' | 'video';
    readonly id: string;
  };
  /** The reason why a publication waits, for the client of its endpoint. It never mentions a channel, a project or an id. */
  readonly Waiting: {
    /** Null if no rule holds it back: it is next on its channel. */
    readonly rule:
      | 'approval'
      | 'backlog_spacing'
      | 'channel_pause'
      | 'earlier_publication'
      | 'needs_attention'
      | 'pace'
      | 'platform_limit'
      | 'project_pause'
      | 'quota'
      | 'restored'
      | 'retry'
      | 'scheduled'
      | 'share'
      | null;
    /** ISO 8601, UTC; null if the end is not known. */
    readonly until: string | null;
    /** Human-readable sentence. */
    readonly text: string;
  };
  /** The values used in the hold explanation, for clients that write their own; null if not applicable. */
  readonly WaitingFigures: {
    /** Number of this publication's latest attempt, from 1. */
    readonly attempt: number | null;
    /** Maximum number of attempts. */
    readonly of: number | null;
    /** The network's own message about that attempt, or about the channel that needs attention. */
    readonly platform_says: string | null;
    /** Sequence number of the publication ahead in the channel. */
    readonly first_sequence: number | null;
    /** The rule that holds back the publication ahead; null if none does. */
    readonly blocked_by_rule:
      | 'backlog_spacing'
      | 'channel_pause'
      | 'earlier_publication'
      | 'needs_attention'
      | 'pace'
      | 'platform_limit'
      | 'project_pause'
      | 'quota'
      | 'retry'
      | 'share'
      | null;
  };
  /** The reason why a publication waits. */
  readonly WaitingFor: {
    /** Null if no rule holds it back: it is next on its channel, and is sent as soon as a worker picks it up. */
    readonly rule:
      | 'approval'
      | 'backlog_spacing'
      | 'channel_pause'
      | 'earlier_publication'
      | 'needs_attention'
      | 'pace'
      | 'platform_limit'
      | 'project_pause'
      | 'quota'
      | 'restored'
      | 'retry'
      | 'scheduled'
      | 'share'
      | null;
    /** ISO 8601, UTC; null if the end is not known. */
    readonly until: string | null;
    /** Id of the event that caused the wait; null if there is none. */
    readonly event_id: string | null;
    /** Human-readable sentence. */
    readonly text: string;
    /** Id of the publication ahead under the rule `earlier_publication`, otherwise null. */
    readonly blocked_by: string | null;
    readonly figures: Schemas['WaitingFigures'];
  };
  /** A waiting publication. */
  readonly WaitingPublication: {
    /** `pub_…` */
    readonly id: string;
    readonly post_id: string;
    /** The channel. */
    readonly target_id: string;
    readonly platform: string;
    readonly project_id: string;
    /** Sequence number of the publication in its channel, starting at 1; null until its post is released. */
    readonly sequence: number | null;
    readonly state:
      | 'dismissed'
      | 'failed'
      | 'filtered'
      | 'in_doubt'
      | 'planned'
      | 'published'
      | 'publishing'
      | 'queued'
      | 'withdraw_failed'
      | 'withdrawing'
      | 'withdrawn';
    /** Earliest time of the next attempt (ISO 8601, UTC); null if there is none. */
    readonly not_before: string | null;
    /** Null unless it is planned or queued. */
    readonly waiting_for: Schemas['WaitingFor'] | null;
    readonly attempts: readonly Schemas['Attempt'][];
    /** Ids of the network's messages. */
    readonly message_ids: readonly string[];
    readonly urls: readonly string[];
    /** Degradations, and `published_twice` until the duplicate is dismissed. */
    readonly warnings: readonly Schemas['PublicationWarning'][];
    /** ISO 8601, UTC; null if it is not published. */
    readonly published_at: string | null;
    /** Messages that readers see in addition to `message_ids`. They stay listed after they are dismissed. */
    readonly duplicates: readonly Schemas['Duplicate'][];
    /** The latest take-back; null if there was none. */
    readonly withdrawal: Schemas['Withdrawal'] | null;
    /** Revision of the post that readers see; null if it is not published. */
    readonly content_version: number | null;
    /** When a message was last changed, ISO 8601, UTC; null if never. */
    readonly edited_at: string | null;
    /** Newer content; null if readers see the newest, or nothing yet. */
    readonly edit: Schemas['Edit'] | null;
    /** True if a message is pinned, false if it should be; null if it was not asked for. */
    readonly pinned: boolean | null;
    readonly can: Schemas['Can'];
    readonly statistics: Schemas['Statistics'];
    /** The first 120 characters of the post's text. */
    readonly excerpt: string | null;
    /** ISO 8601, UTC. */
    readonly accepted_at: string;
    readonly channel: Schemas['NamedChannel'];
  };
  /** A webhook output as the API shows it. Its signing secret is never shown again. */
  readonly WebhookOutput: {
    /** `whk_…` */
    readonly id: string;
    readonly owner_id: string;
    readonly project_id: string;
    readonly url: string;
    readonly kinds: readonly (
      | 'channel.needs_attention'
      | 'endpoint.disabled'
      | 'post.approval_needed'
      | 'post.completed'
      | 'post.published'
      | 'post.statistics'
      | 'publication.edit_failed'
      | 'publication.edited'
      | 'publication.failed'
      | 'publication.in_doubt'
      | 'publication.succeeded'
      | 'publication.withdraw_failed'
      | 'publication.withdrawn'
      | 'test.ping'
    )[];
    readonly is_active: boolean;
    /** Null if the webhook output is active. */
    readonly disabled_by: 'failures' | 'gone' | 'owner' | 'plan' | 'secret' | null;
    /** End of the period in which deliveries are also signed with the previous secret; null if they are not. */
    readonly previous_secret_until: string | null;
    /** ISO 8601, UTC. */
    readonly created_at: string;
  };
  /** One page of a list. */
  readonly WebhookOutputList: {
    readonly items: readonly Schemas['WebhookOutput'][];
    /** Cursor of the next page; null on the last page. */
    readonly next: string | null;
  };
  /** A webhook output with its new secret: the response to its creation and to `rotate-secret`. */
  readonly WebhookOutputWithSecret: {
    /** Its UTF-8 bytes are the key of both signatures. Null in a replayed response: a secret is shown once. */
    readonly secret: string | null;
    /** The same key for Standard Webhooks libraries: `whsec_` and base64. Null in a replayed response. */
    readonly secret_whsec: string | null;
    /** `whk_…` */
    readonly id: string;
    readonly owner_id: string;
    readonly project_id: string;
    readonly url: string;
    readonly kinds: readonly (
      | 'channel.needs_attention'
      | 'endpoint.disabled'
      | 'post.approval_needed'
      | 'post.completed'
      | 'post.published'
      | 'post.statistics'
      | 'publication.edit_failed'
      | 'publication.edited'
      | 'publication.failed'
      | 'publication.in_doubt'
      | 'publication.succeeded'
      | 'publication.withdraw_failed'
      | 'publication.withdrawn'
      | 'test.ping'
    )[];
    readonly is_active: boolean;
    /** Null if the webhook output is active. */
    readonly disabled_by: 'failures' | 'gone' | 'owner' | 'plan' | 'secret' | null;
    /** End of the period in which deliveries are also signed with the previous secret; null if they are not. */
    readonly previous_secret_until: string | null;
    /** ISO 8601, UTC. */
    readonly created_at: string;
  };
  /** The latest take-back of a publication. */
  readonly Withdrawal: {
    /** The actor who asked. */
    readonly by: string;
    /** ISO 8601, UTC. */
    readonly requested_at: string;
    readonly reason: string | null;
    /** Number of tries that did not end it. */
    readonly attempts: number;
    /** Ids of the messages that readers may still see. */
    readonly remaining: readonly string[];
    /** Null if nothing delays it. */
    readonly waiting_for: Schemas['ChangeWait'] | null;
    /** Why it failed, or the latest try did; `message` says what to do. */
    readonly error: Schemas['PublicationError'] | null;
    /** ISO 8601, UTC; null while messages are being deleted. */
    readonly ended_at: string | null;
  };
  /** The latest take-back of a publication, as shown to the client of its endpoint. */
  readonly WithdrawalStatus: {
    /** ISO 8601, UTC. */
    readonly requested_at: string;
    readonly reason: string | null;
    /** Number of tries that did not end it. */
    readonly attempts: number;
    /** Ids of the messages that readers may still see. */
    readonly remaining: readonly string[];
    /** Null if nothing delays it. */
    readonly waiting_for: Schemas['ChangeWait'] | null;
    /** Why it failed, or the latest try did; `message` says what to do. */
    readonly error: Schemas['PublicationError'] | null;
    /** ISO 8601, UTC; null while messages are being deleted. */
    readonly ended_at: string | null;
  };
  /** The result of taking a post back. The numbers count publications. */
  readonly WithdrawnPost: {
    /** `post_…` */
    readonly id: string;
    /** Readers may still see these; their messages are being deleted. */
    readonly withdrawing: number;
    /** These were never published, and never will be. */
    readonly cancelled: number;
    /** There was nothing to take back, or it was taken back before. */
    readonly unchanged: number;
    readonly publications: readonly Schemas['Publication'][];
  };
  /** The result of taking a post back. The numbers count publications. */
  readonly WithdrawnPostStatus: {
    /** Always true. */
    readonly ok: true;
    /** `post_…` */
    readonly id: string;
    /** Readers may still see these; their messages are being deleted. */
    readonly withdrawing: number;
    /** These were never published, and never will be. */
    readonly cancelled: number;
    /** There was nothing to take back, or it was taken back before. */
    readonly unchanged: number;
    readonly publications: readonly Schemas['PublicationStatus'][];
  };
  readonly EntityRequest: {
    readonly type:
      | 'bold'
      | 'italic'
      | 'underline'
      | 'strikethrough'
      | 'spoiler'
      | 'code'
      | 'pre'
      | 'blockquote'
      | 'expandable_blockquote'
      | 'text_link'
      | 'mention'
      | 'url'
      | 'email'
      | 'phone_number'
      | 'hashtag'
      | 'custom_emoji';
    readonly offset: number;
    readonly length: number;
    readonly url?: string;
    readonly language?: string;
    readonly custom_emoji_id?: string;
  };
  readonly MediaRequest: {
    readonly type?: 'photo' | 'video' | 'audio';
    /** The file's address; an uploaded file has `id` instead. */
    readonly url?: string;
    /** The id of an uploaded file, in place of `url`; `type` may then be left out. */
    readonly id?: string;
  };
  readonly ButtonRequest: { readonly text: string; readonly url: string };
  readonly TargetRequest: { readonly id: string };
  readonly OverrideRequest: {
    readonly text?: string | null;
    readonly entities?: readonly Schemas['EntityRequest'][] | null;
    readonly media?: readonly Schemas['MediaRequest'][] | null;
    readonly buttons?: readonly (readonly Schemas['ButtonRequest'][])[] | null;
  };
  readonly PublishPayloadRequest: {
    readonly text?: string;
    readonly entities?: readonly Schemas['EntityRequest'][];
    readonly media?: readonly Schemas['MediaRequest'][];
    readonly buttons?: readonly (readonly Schemas['ButtonRequest'][])[];
    readonly is_advertisement?: boolean;
    /** True to publish without a notification for readers, where the network can. */
    readonly silent?: boolean;
    /** True to pin the post, without another notification, where the network can. */
    readonly pin?: boolean;
    readonly ad_pause_minutes?: number;
    readonly ad_target_pause_minutes?: number;
    readonly targets?: readonly Schemas['TargetRequest'][];
    readonly external_id?: string;
    readonly trace_id?: string;
    readonly metadata?: Readonly<Record<string, unknown>>;
    readonly overrides?: Readonly<Record<string, Schemas['OverrideRequest']>>;
    /** The time at which to publish the post, with an offset or `Z`; if absent, now. */
    readonly publish_at?: string;
  };
  readonly RescheduleRequest: {
    /** The new time, with an offset or `Z`; null for now, or as soon as the post is approved. */
    readonly publish_at?: string | null;
  };
  readonly ContentRequest: {
    readonly text?: string;
    readonly entities?: readonly Schemas['EntityRequest'][];
    readonly media?: readonly Schemas['MediaRequest'][];
    readonly buttons?: readonly (readonly Schemas['ButtonRequest'][])[];
    readonly overrides?: Readonly<Record<string, Schemas['OverrideRequest']>>;
  };
  readonly WithdrawRequest: {
    /** The reason, which the history shows. */
    readonly reason?: string;
    /** Ids of the channels (`tgt_…`) on which the post is taken back; absent for all. */
    readonly targets?: readonly string[];
  };
  readonly TempPauseRequest: {
    readonly project_minutes?: number;
    readonly target_minutes?: number;
    readonly targets?: readonly string[];
  };
  readonly TempResumeRequest: { readonly scope?: 'project' | 'targets' | 'all'; readonly targets?: readonly string[] };
  readonly ChannelPatchRequest: {
    readonly name?: string;
    readonly credentials?: Readonly<Record<string, unknown>>;
    readonly settings?: Readonly<Record<string, unknown>>;
    readonly enabled?: boolean;
  };
  readonly PauseRequest: { readonly minutes: number };
  readonly NewDraftRequest: {
    /** Endpoint that the post is meant for; null if none is chosen yet. It need not exist. A key that is limited to endpoints must send one of them. */
    readonly endpoint_id?: string;
    /** Title to show in lists, such as the beginning of the text. */
    readonly title?: string;
    /** Whatever the client needs to continue the draft, at most 262,144 bytes. The gateway stores it unchecked. */
    readonly content: Readonly<Record<string, unknown>>;
    /** The operator must name the owner; an owner may name only itself. */
    readonly owner_id?: string;
  };
  readonly DraftRequest: {
    /** Endpoint that the post is meant for; null if none is chosen yet. It need not exist. A key that is limited to endpoints must send one of them. */
    readonly endpoint_id?: string;
    /** Title to show in lists, such as the beginning of the text. */
    readonly title?: string;
    /** Whatever the client needs to continue the draft, at most 262,144 bytes. The gateway stores it unchecked. */
    readonly content: Readonly<Record<string, unknown>>;
  };
  readonly EndpointRequest: {
    /** Null removes the name. */
    readonly name?: string | null;
    readonly project_ids: readonly string[];
    /** Minimum time between two accepted posts, in seconds, within the limits profile's range. */
    readonly min_interval?: number;
    readonly require_signature?: boolean;
    readonly require_timestamp?: boolean;
    /** Null removes the allowlist. */
    readonly ip_allowlist?: readonly string[] | null;
    readonly verbose_discovery?: boolean;
    /** True if each post needs approval by an owner or the operator. Does not affect posts that are already waiting. */
    readonly requires_approval?: boolean;
    /** False if clients may not take back or edit what is published through the endpoint. Default: true. */
    readonly allow_changes?: boolean;
    /** Required with the operator's key; may be omitted with an owner's. */
    readonly owner_id?: string;
    readonly mode: 'live' | 'test';
  };
  readonly EndpointPatchRequest: {
    /** Null removes the name. */
    readonly name?: string | null;
    readonly project_ids?: readonly string[];
    /** Minimum time between two accepted posts, in seconds, within the limits profile's range. */
    readonly min_interval?: number;
    readonly require_signature?: boolean;
    readonly require_timestamp?: boolean;
    /** Null removes the allowlist. */
    readonly ip_allowlist?: readonly string[] | null;
    readonly verbose_discovery?: boolean;
    /** True if each post needs approval by an owner or the operator. Does not affect posts that are already waiting. */
    readonly requires_approval?: boolean;
    /** False if clients may not take back or edit what is published through the endpoint. Default: true. */
    readonly allow_changes?: boolean;
  };
  readonly CancelPlannedRequest: {
    /** Cancels only posts that were accepted at or after this time; all planned posts if it is absent. */
    readonly since?: string;
  };
  readonly RotateSecretRequest: {
    /** At most a week, because a rotation has to end at some point. */
    readonly overlap_minutes?: number;
  };
  readonly ConsoleEndpointRequest: {
    /** Required with the operator's key; may be omitted with an owner's. */
    readonly owner_id?: string;
    /** Projects to add to those that the endpoint already posts to. */
    readonly project_ids: readonly string[];
  };
  readonly ArchiveRequest: {
    /** Months (UTC) that ended at or before this time are archived. */
    readonly before: string;
    /** True to count only: nothing is written. */
    readonly dry_run?: boolean;
  };
  readonly VerificationRequest: {
    /** Only the events of aggregates of this type. */
    readonly aggregate?:
      | 'owner'
      | 'channel'
      | 'project'
      | 'endpoint'
      | 'project-pause'
      | 'channel-pause'
      | 'post'
      | 'publication'
      | 'webhook-output'
      | 'media'
      | 'key';
    /** Only the events of the aggregate with this id; requires `aggregate`. */
    readonly id?: string;
    /** An earlier checkpoint, to check that the log still extends it. */
    readonly checkpoint?: string;
  };
  readonly KeyRequest: {
    readonly owner_id?: string | null;
    readonly name: string;
    /** What the key may do. `manage` includes all others but `audit`, and each includes `read`. */
    readonly scopes: readonly ('read' | 'post' | 'approve' | 'manage' | 'audit')[];
    /** The only endpoints that the key may use, with their posts and request logs. Null: all. */
    readonly endpoint_ids?: readonly string[] | null;
    /** When the key stops working. Null: never. */
    readonly expires_at?: string | null;
  };
  readonly KeyPatchRequest: {
    readonly name?: string;
    /** What the key may do. `manage` includes all others but `audit`, and each includes `read`. */
    readonly scopes?: readonly ('read' | 'post' | 'approve' | 'manage' | 'audit')[];
    /** The only endpoints that the key may use, with their posts and request logs. Null: all. */
    readonly endpoint_ids?: readonly string[] | null;
    /** When the key stops working. Null: never. */
    readonly expires_at?: string | null;
  };
  readonly RotateKeyRequest: {
    /** How long the key before it also works. */
    readonly overlap_minutes?: number;
  };
  readonly OwnerRequest: {
    readonly name: string;
    readonly plan: 'free' | 'mini' | 'standard' | 'pro' | 'maxi' | 'business';
    readonly locale?: 'en' | 'ru';
  };
  readonly OwnerPatchRequest: {
    readonly name?: string;
    readonly plan?: 'free' | 'mini' | 'standard' | 'pro' | 'maxi' | 'business';
    readonly locale?: 'en' | 'ru';
    /** Null removes the chat. */
    readonly notice_chat?: { readonly bot_token: string; readonly chat_id: string | number } | null;
  };
  readonly EraseContentRequest: {
    /** Months (UTC) that ended at or before this time are erased. */
    readonly before: string;
  };
  readonly PostPackRequest: { readonly posts: number };
  readonly ApproveRequest: {
    /** A note for readers of the decision; an empty note counts as none. */
    readonly note?: string;
    /** The revision of the post that was read; `If-Match` may name it instead. One of the two is required. */
    readonly revision?: number;
  };
  readonly RejectRequest: {
    /** The reason, for the author of the post. */
    readonly reason: string;
  };
  readonly RebuildRequest: {
    /** `auto` (default): the new version becomes live once it has caught up; `manual`: it waits for POST /projections/{name}/promote. */
    readonly promote?: 'auto' | 'manual';
  };
  readonly SkipRequest: {
    /** The reason why the event may be skipped. It is kept in the history. */
    readonly reason: string;
  };
  readonly FilterRequest: {
    readonly mode: 'include' | 'exclude';
    readonly words?: readonly string[];
    readonly pattern?: string;
    readonly platforms?: readonly string[];
  };
  readonly FooterRequest: { readonly marker?: string; readonly pattern?: string };
  readonly ReplacementRequest: {
    readonly from: string;
    /** May be empty, which deletes `from`. */
    readonly to: string;
    readonly whole_word?: boolean;
    readonly ignore_case?: boolean;
  };
  readonly TranslationRequest: {
    readonly provider: 'libretranslate';
    readonly url: string;
    /** If it is absent, the key stored for the same URL is kept; null or an empty string removes the key. */
    readonly api_key?: string | null;
    readonly source: string;
    readonly target: string;
    readonly on_failure: 'publish_original' | 'retry';
  };
  readonly SignatureRequest: {
    readonly text: string;
    readonly entities?: readonly Schemas['EntityRequest'][];
    readonly platforms?: readonly string[];
  };
  readonly ProcessingRequest: {
    readonly filters?: readonly Schemas['FilterRequest'][];
    readonly footer?: Schemas['FooterRequest'];
    readonly replacements?: readonly Schemas['ReplacementRequest'][];
    readonly translation?: Schemas['TranslationRequest'];
    readonly signature?: Schemas['SignatureRequest'];
  };
  readonly ProjectRequest: {
    /** Required with the operator's key, optional with an owner's key. */
    readonly owner_id?: string;
    readonly name: string;
    readonly channel_ids: readonly string[];
    readonly processing?: Schemas['ProcessingRequest'];
  };
  readonly ProjectPatchRequest: {
    readonly name?: string;
    readonly channel_ids?: readonly string[];
    /** Replaced as a whole; null removes it. */
    readonly processing?: Schemas['ProcessingRequest'] | null;
  };
  readonly ProcessingPreviewRequest: {
    readonly text: string;
    readonly entities?: readonly Schemas['EntityRequest'][];
    /** The processing to try. Absent: the project's own; null: none. */
    readonly processing?: Schemas['ProcessingRequest'] | null;
  };
  readonly WithdrawPublicationRequest: {
    /** The reason, which the history shows. */
    readonly reason?: string;
  };
  readonly ConfirmRecoveryRequest: {
    /** Only this owner. Operators may omit it to settle all owners' posts; owners may pass only their own id. */
    readonly owner_id?: string;
    /** Keeps the planned posts, so that they are published at their time, or cancels them. Default: leaves them held. */
    readonly planned?: 'keep' | 'cancel';
    /** Sends the publications in doubt again, or dismisses them. Default: leaves them in doubt. */
    readonly in_doubt?: 'resend' | 'dismiss';
  };
  readonly SkipSagaRequest: {
    /** Position of the event, from the saga's `error.position`; sending it keeps a repeated call from skipping another event. Default: the event at which the saga has stopped. */
    readonly position?: string;
    /** The reason why the event may be skipped. It is kept in the history. */
    readonly reason: string;
  };
  readonly SessionRequest: {
    /** True to stay signed in for 30 days; otherwise the session ends with the browser, or after 12 hours without use. */
    readonly remember?: boolean;
  };
  readonly WebhookOutputRequest: {
    /** An https URL on port 443 of a public address. */
    readonly url: string;
    /** All event kinds to deliver. Default for a new webhook output: only `post.published`. */
    readonly kinds?: readonly (
      | 'post.published'
      | 'publication.succeeded'
      | 'publication.failed'
      | 'publication.in_doubt'
      | 'publication.withdrawn'
      | 'publication.withdraw_failed'
      | 'publication.edited'
      | 'publication.edit_failed'
      | 'post.completed'
      | 'post.statistics'
      | 'post.approval_needed'
      | 'endpoint.disabled'
      | 'channel.needs_attention'
      | 'test.ping'
    )[];
    /** The project whose events are delivered. */
    readonly project_id: string;
  };
  readonly WebhookOutputPatchRequest: {
    /** An https URL on port 443 of a public address. */
    readonly url?: string;
    /** All event kinds to deliver. Default for a new webhook output: only `post.published`. */
    readonly kinds?: readonly (
      | 'post.published'
      | 'publication.succeeded'
      | 'publication.failed'
      | 'publication.in_doubt'
      | 'publication.withdrawn'
      | 'publication.withdraw_failed'
      | 'publication.edited'
      | 'publication.edit_failed'
      | 'post.completed'
      | 'post.statistics'
      | 'post.approval_needed'
      | 'endpoint.disabled'
      | 'channel.needs_attention'
      | 'test.ping'
    )[];
  };
  readonly RetryFailedRequest: {
    /** Retries only deliveries whose last attempt failed at or after this time. */
    readonly since: string;
  };
}

/** The routes of the API, with what they take and answer. */
export interface Routes {
  /** Upload a file */
  readonly 'POST /v1/media': { readonly takes: object; readonly answers: Schemas['MediaUpload'] };
  /** Check and preview a payload without publishing */
  readonly 'POST /v1/sandbox/test': {
    readonly takes: { readonly body?: Schemas['PublishPayloadRequest'] };
    readonly answers: Schemas['SandboxResult'];
  };
  /** Publish a post */
  readonly 'POST /v1/webhooks/{slug}': {
    readonly takes: {
      readonly path: {
        /** Slug of the endpoint, from its URL. */
        readonly slug: string;
      };
      readonly body?: Schemas['PublishPayloadRequest'];
    };
    readonly answers: Schemas['PublishResult'];
  };
  /** Discover projects, targets and capabilities */
  readonly 'GET /v1/webhooks/{slug}/info': {
    readonly takes: {
      readonly path: {
        /** Slug of the endpoint, from its URL. */
        readonly slug: string;
      };
    };
    readonly answers: Schemas['Discovery'];
  };
  /** List posts */
  readonly 'GET /v1/webhooks/{slug}/posts': {
    readonly takes: {
      readonly path: {
        /** Slug of the endpoint, from its URL. */
        readonly slug: string;
      };
      readonly query?: {
        /** Maximum number of items on a page. */
        readonly limit?: number;
        /** `next` of the previous page. */
        readonly cursor?: string;
        /** Posts with a publication in this state. Planned posts are sorted by `publish_at`, all others newest first. */
        readonly state?:
          | 'planned'
          | 'queued'
          | 'publishing'
          | 'published'
          | 'failed'
          | 'in_doubt'
          | 'filtered'
          | 'dismissed'
          | 'withdrawing'
          | 'withdrawn'
          | 'withdraw_failed';
      };
    };
    readonly answers: Schemas['PostStatusList'];
  };
  /** Cancel a post's planned or queued publications */
  readonly 'DELETE /v1/webhooks/{slug}/posts/{post_id}': {
    readonly takes: {
      readonly path: {
        /** Slug of the endpoint, from its URL. */
        readonly slug: string;
        /** Id of the post: `post_…`. */
        readonly post_id: string;
      };
    };
    readonly answers: Schemas['Cancelled'];
  };
  /** Show what became of a post */
  readonly 'GET /v1/webhooks/{slug}/posts/{post_id}': {
    readonly takes: {
      readonly path: {
        /** Slug of the endpoint, from its URL. */
        readonly slug: string;
        /** Id of the post: `post_…`. */
        readonly post_id: string;
      };
    };
    readonly answers: Schemas['PostStatus'];
  };
  /** Move a planned post to another time */
  readonly 'PATCH /v1/webhooks/{slug}/posts/{post_id}': {
    readonly takes: {
      readonly path: {
        /** Slug of the endpoint, from its URL. */
        readonly slug: string;
        /** Id of the post: `post_…`. */
        readonly post_id: string;
      };
      readonly body?: Schemas['RescheduleRequest'];
    };
    readonly answers: Schemas['ChangedPost'];
  };
  /** Replace the payload of a planned post */
  readonly 'PUT /v1/webhooks/{slug}/posts/{post_id}': {
    readonly takes: {
      readonly path: {
        /** Slug of the endpoint, from its URL. */
        readonly slug: string;
        /** Id of the post: `post_…`. */
        readonly post_id: string;
      };
      readonly body?: Schemas['PublishPayloadRequest'];
    };
    readonly answers: Schemas['ChangedPost'];
  };
  /** Give a post new content */
  readonly 'PUT /v1/webhooks/{slug}/posts/{post_id}/content': {
    readonly takes: {
      readonly path: {
        /** Slug of the endpoint, from its URL. */
        readonly slug: string;
        /** Id of the post: `post_…`. */
        readonly post_id: string;
      };
      readonly query?: {
        /** `true` answers the same without any effect, and shows the calls. */
        readonly dry_run?: 'true' | 'false';
      };
      readonly body?: Schemas['ContentRequest'];
    };
    readonly answers: Schemas['EditedPostStatus'];
  };
  /** Take a post back */
  readonly 'POST /v1/webhooks/{slug}/posts/{post_id}/withdraw': {
    readonly takes: {
      readonly path: {
        /** Slug of the endpoint, from its URL. */
        readonly slug: string;
        /** Id of the post: `post_…`. */
        readonly post_id: string;
      };
      readonly body?: Schemas['WithdrawRequest'];
    };
    readonly answers: Schemas['WithdrawnPostStatus'];
  };
  /** Pause projects or channels without publishing */
  readonly 'POST /v1/webhooks/{slug}/temp-pause': {
    readonly takes: {
      readonly path: {
        /** Slug of the endpoint, from its URL. */
        readonly slug: string;
      };
      readonly body?: Schemas['TempPauseRequest'];
    };
    readonly answers: Schemas['PauseResult'];
  };
  /** Resume projects or channels */
  readonly 'POST /v1/webhooks/{slug}/temp-resume': {
    readonly takes: {
      readonly path: {
        /** Slug of the endpoint, from its URL. */
        readonly slug: string;
      };
      readonly body?: Schemas['TempResumeRequest'];
    };
    readonly answers: Schemas['PauseResult'];
  };
  /** List channels */
  readonly 'GET /manage/v1/channels': {
    readonly takes: {
      readonly query?: {
        /** Maximum number of items on a page. */
        readonly limit?: number;
        /** `next` of the previous page. */
        readonly cursor?: string;
        /** Only this owner's resources. Operators may omit it to see all owners; owners may pass only their own id. */
        readonly owner_id?: string;
        /** Only channels in this state. */
        readonly status?: 'ok' | 'needs_attention' | 'disabled';
      };
    };
    readonly answers: Schemas['ChannelList'];
  };
  /** Connect a channel */
  readonly 'POST /manage/v1/channels': {
    readonly takes: {
      readonly body:
        | {
            /** Required with the operator's key; may be omitted with an owner's. */
            readonly owner_id?: string;
            readonly platform: 'telegram';
            readonly name: string;
            readonly credentials: { readonly bot_token: string; readonly chat_id: string | number };
            readonly settings?: { readonly on_doubt?: 'hold' | 'resend'; readonly statistics?: 'on' | 'off' };
          }
        | {
            /** Required with the operator's key; may be omitted with an owner's. */
            readonly owner_id?: string;
            readonly platform: 'vk';
            readonly name: string;
            readonly credentials: {
              readonly access_token: string;
              readonly upload_token?: string;
              readonly group_id: string | number;
            };
            readonly settings?: { readonly on_doubt?: 'hold' | 'resend'; readonly statistics?: 'on' | 'off' };
          }
        | {
            /** Required with the operator's key; may be omitted with an owner's. */
            readonly owner_id?: string;
            readonly platform: 'max';
            readonly name: string;
            readonly credentials: { readonly access_token: string; readonly chat_id: string | number };
            readonly settings?: { readonly on_doubt?: 'hold' | 'resend'; readonly statistics?: 'on' | 'off' };
          }
        | {
            /** Required with the operator's key; may be omitted with an owner's. */
            readonly owner_id?: string;
            readonly platform: 'ok';
            readonly name: string;
            readonly credentials: {
              readonly application_key: string;
              readonly application_secret: string;
              readonly access_token: string;
              readonly group_id: string | number;
            };
            readonly settings?: {
              readonly on_doubt?: 'hold' | 'resend';
              readonly statistics?: 'on' | 'off';
              readonly buttons?: 'link' | 'drop';
              readonly text_limit?: number;
              readonly video_upload?: 'account' | 'group';
              readonly video_wait_seconds?: number;
              readonly video_check_seconds?: number;
            };
          };
    };
    readonly answers: Schemas['TestedChannel'];
  };
  /** Delete a channel */
  readonly 'DELETE /manage/v1/channels/{id}': {
    readonly takes: {
      readonly path: {
        /** Id of the resource. */
        readonly id: string;
      };
      readonly query?: {
        /** `true`: also removes the resource from resources that refer to it; `false` (default): returns 409 if there are any. */
        readonly cascade?: 'true' | 'false';
      };
    };
    readonly answers: undefined;
  };
  /** Show a channel */
  readonly 'GET /manage/v1/channels/{id}': {
    readonly takes: {
      readonly path: {
        /** Id of the resource. */
        readonly id: string;
      };
    };
    readonly answers: Schemas['Channel'];
  };
  /** Change a channel */
  readonly 'PATCH /manage/v1/channels/{id}': {
    readonly takes: {
      readonly path: {
        /** Id of the resource. */
        readonly id: string;
      };
      readonly body?: Schemas['ChannelPatchRequest'];
    };
    readonly answers: Schemas['Channel'];
  };
  /** Pause a channel */
  readonly 'POST /manage/v1/channels/{id}/pause': {
    readonly takes: {
      readonly path: {
        /** Id of the resource. */
        readonly id: string;
      };
      readonly body: Schemas['PauseRequest'];
    };
    readonly answers: Schemas['Channel'];
  };
  /** List the receipts of a channel, oldest first */
  readonly 'GET /manage/v1/channels/{id}/receipts': {
    readonly takes: {
      readonly path: {
        /** Id of the resource. */
        readonly id: string;
      };
      readonly query?: {
        /** Maximum number of items on a page. */
        readonly limit?: number;
        /** `next` of the previous page. */
        readonly cursor?: string;
        /** First sequence number, inclusive. */
        readonly from?: string;
      };
    };
    readonly answers: Schemas['ReceiptArchivedList'];
  };
  /** Resume a channel */
  readonly 'POST /manage/v1/channels/{id}/resume': {
    readonly takes: {
      readonly path: {
        /** Id of the resource. */
        readonly id: string;
      };
    };
    readonly answers: Schemas['Channel'];
  };
  /** Retry a channel that needs attention */
  readonly 'POST /manage/v1/channels/{id}/retry': {
    readonly takes: {
      readonly path: {
        /** Id of the resource. */
        readonly id: string;
      };
    };
    readonly answers: Schemas['Channel'];
  };
  /** Show the numbers of a channel over time */
  readonly 'GET /manage/v1/channels/{id}/statistics': {
    readonly takes: {
      readonly path: {
        /** Id of the resource. */
        readonly id: string;
      };
      readonly query?: {
        /** Publications at this time or later. Default: 30 days before `until`. */
        readonly since?: string;
        /** Publications before this time. Default: now. */
        readonly until?: string;
        /** Length of a bucket; default `day`. Days are UTC. */
        readonly bucket?: 'hour' | 'day';
      };
    };
    readonly answers: Schemas['ChannelStatistics'];
  };
  /** Test whether the credentials of a channel allow posting */
  readonly 'POST /manage/v1/channels/{id}/test': {
    readonly takes: {
      readonly path: {
        /** Id of the resource. */
        readonly id: string;
      };
    };
    readonly answers: Schemas['ChannelTest'];
  };
  /** Show a delivery */
  readonly 'GET /manage/v1/deliveries/{id}': {
    readonly takes: {
      readonly path: {
        /** Id of the resource. */
        readonly id: string;
      };
    };
    readonly answers: Schemas['Delivery'];
  };
  /** Send a delivery again */
  readonly 'POST /manage/v1/deliveries/{id}/retry': {
    readonly takes: {
      readonly path: {
        /** Id of the resource. */
        readonly id: string;
      };
    };
    readonly answers: Schemas['Delivery'];
  };
  /** List drafts */
  readonly 'GET /manage/v1/drafts': {
    readonly takes: {
      readonly query?: {
        /** Maximum number of items on a page. */
        readonly limit?: number;
        /** `next` of the previous page. */
        readonly cursor?: string;
        /** Only this owner's resources. Operators may omit it to see all owners; owners may pass only their own id. */
        readonly owner_id?: string;
      };
    };
    readonly answers: Schemas['DraftList'];
  };
  /** Create a draft */
  readonly 'POST /manage/v1/drafts': {
    readonly takes: { readonly body: Schemas['NewDraftRequest'] };
    readonly answers: Schemas['Draft'];
  };
  /** Delete a draft */
  readonly 'DELETE /manage/v1/drafts/{id}': {
    readonly takes: {
      readonly path: {
        /** Id of the resource. */
        readonly id: string;
      };
    };
    readonly answers: undefined;
  };
  /** Show a draft with its content */
  readonly 'GET /manage/v1/drafts/{id}': {
    readonly takes: {
      readonly path: {
        /** Id of the resource. */
        readonly id: string;
      };
    };
    readonly answers: Schemas['DraftWithContent'];
  };
  /** Replace a draft */
  readonly 'PUT /manage/v1/drafts/{id}': {
    readonly takes: {
      readonly path: {
        /** Id of the resource. */
        readonly id: string;
      };
      readonly body: Schemas['DraftRequest'];
    };
    readonly answers: Schemas['Draft'];
  };
  /** List endpoints */
  readonly 'GET /manage/v1/endpoints': {
    readonly takes: {
      readonly query?: {
        /** Maximum number of items on a page. */
        readonly limit?: number;
        /** `next` of the previous page. */
        readonly cursor?: string;
        /** Only this owner's resources. Operators may omit it to see all owners; owners may pass only their own id. */
        readonly owner_id?: string;
      };
    };
    readonly answers: Schemas['EndpointList'];
  };
  /** Create an endpoint */
  readonly 'POST /manage/v1/endpoints': {
    readonly takes: { readonly body: Schemas['EndpointRequest'] };
    readonly answers: Schemas['NewEndpoint'];
  };
  /** Delete an endpoint */
  readonly 'DELETE /manage/v1/endpoints/{id}': {
    readonly takes: {
      readonly path: {
        /** Id of the resource. */
        readonly id: string;
      };
    };
    readonly answers: undefined;
  };
  /** Show an endpoint */
  readonly 'GET /manage/v1/endpoints/{id}': {
    readonly takes: {
      readonly path: {
        /** Id of the resource. */
        readonly id: string;
      };
    };
    readonly answers: Schemas['Endpoint'];
  };
  /** Change an endpoint */
  readonly 'PATCH /manage/v1/endpoints/{id}': {
    readonly takes: {
      readonly path: {
        /** Id of the resource. */
        readonly id: string;
      };
      readonly body?: Schemas['EndpointPatchRequest'];
    };
    readonly answers: Schemas['Endpoint'];
  };
  /** Cancel the planned posts that an endpoint has accepted */
  readonly 'POST /manage/v1/endpoints/{id}/cancel-planned': {
    readonly takes: {
      readonly path: {
        /** Id of the resource. */
        readonly id: string;
      };
      readonly body?: Schemas['CancelPlannedRequest'];
    };
    readonly answers: Schemas['CancelledPosts'];
  };
  /** Disable an endpoint */
  readonly 'POST /manage/v1/endpoints/{id}/disable': {
    readonly takes: {
      readonly path: {
        /** Id of the resource. */
        readonly id: string;
      };
    };
    readonly answers: Schemas['DisabledEndpoint'];
  };
  /** Enable an endpoint */
  readonly 'POST /manage/v1/endpoints/{id}/enable': {
    readonly takes: {
      readonly path: {
        /** Id of the resource. */
        readonly id: string;
      };
    };
    readonly answers: Schemas['Endpoint'];
  };
  /** Publish a post through an endpoint */
  readonly 'POST /manage/v1/endpoints/{id}/posts': {
    readonly takes: {
      readonly path: {
        /** Id of the resource. */
        readonly id: string;
      };
      readonly query?: {
        /** Draft to delete once the post is accepted. */
        readonly draft_id?: string;
      };
      readonly body?: Schemas['PublishPayloadRequest'];
    };
    readonly answers: Schemas['PublishResult'];
  };
  /** List the last requests to an endpoint */
  readonly 'GET /manage/v1/endpoints/{id}/requests': {
    readonly takes: {
      readonly path: {
        /** Id of the resource. */
        readonly id: string;
      };
      readonly query?: {
        /** Maximum number of items on a page. */
        readonly limit?: number;
        /** `next` of the previous page. */
        readonly cursor?: string;
        /** HTTP status. */
        readonly status?: string;
        readonly decision?:
          | 'accepted'
          | 'accepted_no_project'
          | 'accepted_idempotent_replay'
          | 'rejected_auth'
          | 'rejected_validation'
          | 'rejected_rate_limit'
          | 'rejected_paused'
          | 'rejected_tier'
          | 'rejected_disabled';
        /** Only requests before this time. */
        readonly before?: string;
      };
    };
    readonly answers: Schemas['RequestList'];
  };
  /** Replace the signing secret of an endpoint */
  readonly 'POST /manage/v1/endpoints/{id}/rotate-secret': {
    readonly takes: {
      readonly path: {
        /** Id of the resource. */
        readonly id: string;
      };
      readonly body?: Schemas['RotateSecretRequest'];
    };
    readonly answers: Schemas['EndpointWithSecret'];
  };
  /** Replace the slug of an endpoint */
  readonly 'POST /manage/v1/endpoints/{id}/rotate-slug': {
    readonly takes: {
      readonly path: {
        /** Id of the resource. */
        readonly id: string;
      };
    };
    readonly answers: Schemas['Endpoint'];
  };
  /** Replace the token of an endpoint */
  readonly 'POST /manage/v1/endpoints/{id}/rotate-token': {
    readonly takes: {
      readonly path: {
        /** Id of the resource. */
        readonly id: string;
      };
    };
    readonly answers: Schemas['RotatedToken'];
  };
  /** Check and preview a payload without publishing */
  readonly 'POST /manage/v1/endpoints/{id}/sandbox': {
    readonly takes: {
      readonly path: {
        /** Id of the resource. */
        readonly id: string;
      };
      readonly body?: Schemas['PublishPayloadRequest'];
    };
    readonly answers: Schemas['SandboxResult'];
  };
  /** Open the endpoint through which the console publishes */
  readonly 'POST /manage/v1/endpoints/console': {
    readonly takes: { readonly body: Schemas['ConsoleEndpointRequest'] };
    readonly answers: Schemas['Endpoint'];
  };
  /** Show endpoints, channels, projects and pauses as they were */
  readonly 'GET /manage/v1/history': {
    readonly takes: {
      readonly query?: {
        /** Default: now. */
        readonly at?: string;
        /** Operators may omit it to see all owners; owners may pass only their own id. */
        readonly owner_id?: string;
      };
    };
    readonly answers: Schemas['Overview'];
  };
  /** Show an aggregate as it was, with its events */
  readonly 'GET /manage/v1/history/{aggregate}/{id}': {
    readonly takes: {
      readonly path: {
        /** Name of an aggregate, such as `channel`. */
        readonly aggregate: string;
        /** Id of the resource. */
        readonly id: string;
      };
      readonly query?: {
        /** Shows the aggregate as it was at this time. */
        readonly at?: string;
        /** Shows the aggregate as it was after this revision. */
        readonly revision?: string;
        /** Revision of the first event to show. */
        readonly from?: string;
        /** Maximum number of events to show. */
        readonly limit?: number;
      };
    };
    readonly answers: Schemas['AggregateHistory'];
  };
  /** Compare an aggregate at two times */
  readonly 'GET /manage/v1/history/{aggregate}/{id}/diff': {
    readonly takes: {
      readonly path: {
        /** Name of an aggregate, such as `channel`. */
        readonly aggregate: string;
        /** Id of the resource. */
        readonly id: string;
      };
      readonly query: {
        readonly from: string;
        /** Default: now. */
        readonly to?: string;
      };
    };
    readonly answers: Schemas['Diff'];
  };
  /** Move old history from the database into files */
  readonly 'POST /manage/v1/history/archive': {
    readonly takes: { readonly body: Schemas['ArchiveRequest'] };
    readonly answers: Schemas['Job'];
  };
  /** Compare all endpoints, channels, projects and pauses at two times */
  readonly 'GET /manage/v1/history/diff': {
    readonly takes: {
      readonly query: {
        readonly from: string;
        /** Default: now. */
        readonly to?: string;
        /** Operators may omit it to compare all owners; owners may pass only their own id. */
        readonly owner_id?: string;
      };
    };
    readonly answers: Schemas['OwnerDiff'];
  };
  /** List events, newest first */
  readonly 'GET /manage/v1/history/events': {
    readonly takes: {
      readonly query?: {
        /** Maximum number of items on a page. */
        readonly limit?: number;
        /** `next` of the previous page. */
        readonly cursor?: string;
        /** Operators may omit it to see the events of all owners; owners may pass only their own id. */
        readonly owner_id?: string;
        /** Only events of aggregates of this type, or of these types, separated by commas. */
        readonly aggregate?: string;
        /** Only events of the aggregates with this id; a channel and its pauses share an id. */
        readonly id?: string;
        /** Only events by this author. */
        readonly actor?: string;
        /** Only events of this type. */
        readonly type?:
          | 'OwnerRegistered'
          | 'OwnerRenamed'
          | 'OwnerPlanChanged'
          | 'OwnerKeyRotated'
          | 'OwnerLocaleChanged'
          | 'OwnerNoticeChatSet'
          | 'OwnerNoticeChatRemoved'
          | 'PostPackAdded'
          | 'OwnerDeleted'
          | 'OwnerContentErased'
          | 'ChannelConnected'
          | 'ChannelRenamed'
          | 'ChannelCredentialsReplaced'
          | 'ChannelSettingsChanged'
          | 'ChannelMoved'
          | 'ChannelEnabled'
          | 'ChannelDisabled'
          | 'ChannelNeedsAttention'
          | 'ChannelAttentionCleared'
          | 'ChannelDeleted'
          | 'ProjectCreated'
          | 'ProjectRenamed'
          | 'ProjectChannelsChanged'
          | 'ProjectProcessingChanged'
          | 'ProjectDeleted'
          | 'EndpointCreated'
          | 'EndpointChanged'
          | 'EndpointTokenRotated'
          | 'EndpointSlugRotated'
          | 'EndpointSecretRotated'
          | 'EndpointDisabled'
          | 'EndpointEnabled'
          | 'EndpointDeleted'
          | 'ProjectPaused'
          | 'ProjectPauseUnchanged'
          | 'ProjectResumed'
          | 'ChannelPaused'
          | 'ChannelPauseUnchanged'
          | 'ChannelResumed'
          | 'PostAccepted'
          | 'PostSkipped'
          | 'PostKeyReserved'
          | 'PayloadPartStored'
          | 'PostReleased'
          | 'PostRescheduled'
          | 'PostRevised'
          | 'PlannedPublicationsCancelled'
          | 'PostApprovalRequested'
          | 'PostApproved'
          | 'PostRejected'
          | 'PostWithdrawn'
          | 'PostEdited'
          | 'PublicationStarted'
          | 'PublicationStepStarted'
          | 'PublicationStepCompleted'
          | 'PublicationSucceeded'
          | 'PublicationPostponed'
          | 'PublicationFailed'
          | 'PublicationInDoubt'
          | 'PublicationFiltered'
          | 'PublicationHeld'
          | 'PublicationResent'
          | 'PublicationDismissed'
          | 'PublicationWithdrawalRequested'
          | 'PublicationMessageDeleted'
          | 'PublicationWithdrawalPostponed'
          | 'PublicationWithdrawn'
          | 'PublicationWithdrawalFailed'
          | 'PublicationWithdrawalDropped'
          | 'PublicationEditRequested'
          | 'PublicationEditPostponed'
          | 'PublicationEdited'
          | 'PublicationEditFailed'
          | 'PublicationEditDropped'
          | 'PublicationPinned'
          | 'PublicationPinFailed'
          | 'PublicationDuplicateFound'
          | 'PublicationDuplicateDismissed'
          | 'NoticeRaised'
          | 'TranslationStored'
          | 'TranslationAbandoned'
          | 'WebhookOutputCreated'
          | 'WebhookOutputChanged'
          | 'WebhookOutputSecretRotated'
          | 'WebhookOutputDisabled'
          | 'WebhookOutputEnabled'
          | 'WebhookOutputDeleted'
          | 'DeliveryScheduled'
          | 'DeliverySucceeded'
          | 'DeliveryAttemptFailed'
          | 'DeliveryRetryRequested'
          | 'DeliveryBodyPartStored'
          | 'ProjectionEventSkipped'
          | 'ProjectionPromoted'
          | 'ProjectionRolledBack'
          | 'ProjectionCandidateDiscarded'
          | 'SagaEventSkipped'
          | 'RecoveryStarted'
          | 'RecoveryMarked'
          | 'RecoveryLookedUp'
          | 'RecoveryConfirmed'
          | 'MediaUploaded'
          | 'MediaRenewed'
          | 'MediaLinked'
          | 'MediaDeleted'
          | 'KeyIssued'
          | 'KeyChanged'
          | 'KeyRotated'
          | 'KeyRevoked'
          | 'HistoryArchived'
          | 'HorizonMoved';
        /** Only events from this time on. */
        readonly since?: string;
        /** Only events before this time. */
        readonly until?: string;
      };
    };
    readonly answers: Schemas['ListedEventList'];
  };
  /** Export the history */
  readonly 'GET /manage/v1/history/export': {
    readonly takes: {
      readonly query?: {
        /** Only lines after this position. To resume an interrupted export, send the position of its last line. */
        readonly after?: string;
        /** Includes the secrets, which can only be decrypted with this gateway's SECRETS_KEY. */
        readonly secrets?: 'sealed';
        /** Adds the content of the events, which the export otherwise holds sealed, in `open`. */
        readonly content?: 'open';
        /** Only the keys that open the content of the events, without the events. They can only be decrypted with this gateway's SECRETS_KEY. Keep them apart from the history: without them, its content is erased. */
        readonly content_keys?: 'sealed';
      };
    };
    readonly answers: string;
  };
  /** Import a history into an empty event store */
  readonly 'POST /manage/v1/history/import': {
    readonly takes: { readonly body?: string };
    readonly answers: Schemas['Import'];
  };
  /** Show the log's signed head */
  readonly 'GET /manage/v1/history/log/checkpoint': { readonly takes: object; readonly answers: string };
  /** List the logs that have ended, and why */
  readonly 'GET /manage/v1/history/log/ended': { readonly takes: object; readonly answers: Schemas['EndedLogs'] };
  /** Show the key that verifies checkpoints */
  readonly 'GET /manage/v1/history/log/key': { readonly takes: object; readonly answers: Schemas['LogKey'] };
  /** Prove one event */
  readonly 'GET /manage/v1/history/log/proof/{event}': {
    readonly takes: { readonly path: { readonly event: string } };
    readonly answers: string;
  };
  /** Show a tile of the tree or a bundle of entries */
  readonly 'GET /manage/v1/history/log/tile/{level}/{a}': {
    readonly takes: { readonly path: { readonly level: string; readonly a: string } };
    readonly answers: string;
  };
  /** Show a tile of the tree or a bundle of entries, with a path of two segments */
  readonly 'GET /manage/v1/history/log/tile/{level}/{a}/{b}': {
    readonly takes: { readonly path: { readonly level: string; readonly a: string; readonly b: string } };
    readonly answers: string;
  };
  /** Show a tile of the tree or a bundle of entries, with a path of three segments */
  readonly 'GET /manage/v1/history/log/tile/{level}/{a}/{b}/{c}': {
    readonly takes: {
      readonly path: { readonly level: string; readonly a: string; readonly b: string; readonly c: string };
    };
    readonly answers: string;
  };
  /** Show a tile of the tree or a bundle of entries, with a path of four segments */
  readonly 'GET /manage/v1/history/log/tile/{level}/{a}/{b}/{c}/{d}': {
    readonly takes: {
      readonly path: {
        readonly level: string;
        readonly a: string;
        readonly b: string;
        readonly c: string;
        readonly d: string;
      };
    };
    readonly answers: string;
  };
  /** Count events over time, with pauses and changes by people */
  readonly 'GET /manage/v1/history/ticks': {
    readonly takes: {
      readonly query?: {
        /** Inclusive. Default: the very first event, or a day before `to` if that is earlier. */
        readonly from?: string;
        /** Exclusive. Default: now. */
        readonly to?: string;
        /** Number of equal parts to divide the period into; at most one per millisecond. */
        readonly buckets?: number;
        /** Operators may omit it to see all owners; owners may pass only their own id. */
        readonly owner_id?: string;
      };
    };
    readonly answers: Schemas['Ticks'];
  };
  /** Show all events of one story */
  readonly 'GET /manage/v1/history/trace/{id}': {
    readonly takes: {
      readonly path: {
        /** Id of the resource. */
        readonly id: string;
      };
    };
    readonly answers: Schemas['Trace'];
  };
  /** Verify the history: chains, order, tree and checkpoint */
  readonly 'POST /manage/v1/history/verify': {
    readonly takes: { readonly body?: Schemas['VerificationRequest'] };
    readonly answers: Schemas['Job'];
  };
  /** List jobs */
  readonly 'GET /manage/v1/jobs': {
    readonly takes: {
      readonly query?: {
        /** Maximum number of items on a page. */
        readonly limit?: number;
        /** `next` of the previous page. */
        readonly cursor?: string;
        readonly state?: 'running' | 'done' | 'failed';
      };
    };
    readonly answers: Schemas['JobList'];
  };
  /** Show a job */
  readonly 'GET /manage/v1/jobs/{id}': {
    readonly takes: {
      readonly path: {
        /** Id of the resource. */
        readonly id: string;
      };
    };
    readonly answers: Schemas['Job'];
  };
  /** List keys */
  readonly 'GET /manage/v1/keys': {
    readonly takes: {
      readonly query?: {
        /** Maximum number of items on a page. */
        readonly limit?: number;
        /** `next` of the previous page. */
        readonly cursor?: string;
        /** Only this owner's resources. Operators may omit it to see all owners; owners may pass only their own id. */
        readonly owner_id?: string;
      };
    };
    readonly answers: Schemas['KeyList'];
  };
  /** Issue a key */
  readonly 'POST /manage/v1/keys': {
    readonly takes: { readonly body: Schemas['KeyRequest'] };
    readonly answers: Schemas['KeyWithSecret'];
  };
  /** Revoke a key */
  readonly 'DELETE /manage/v1/keys/{id}': {
    readonly takes: {
      readonly path: {
        /** Id of the resource. */
        readonly id: string;
      };
    };
    readonly answers: undefined;
  };
  /** Show a key */
  readonly 'GET /manage/v1/keys/{id}': {
    readonly takes: {
      readonly path: {
        /** Id of the resource. */
        readonly id: string;
      };
    };
    readonly answers: Schemas['Key'];
  };
  /** Change a key */
  readonly 'PATCH /manage/v1/keys/{id}': {
    readonly takes: {
      readonly path: {
        /** Id of the resource. */
        readonly id: string;
      };
      readonly body?: Schemas['KeyPatchRequest'];
    };
    readonly answers: Schemas['Key'];
  };
  /** Replace a key */
  readonly 'POST /manage/v1/keys/{id}/rotate': {
    readonly takes: {
      readonly path: {
        /** Id of the resource. */
        readonly id: string;
      };
      readonly body?: Schemas['RotateKeyRequest'];
    };
    readonly answers: Schemas['KeyWithSecret'];
  };
  /** Show whose key you use, and what it may do */
  readonly 'GET /manage/v1/me': { readonly takes: object; readonly answers: Schemas['Me'] };
  /** List uploaded files */
  readonly 'GET /manage/v1/media': {
    readonly takes: {
      readonly query?: {
        /** Maximum number of items on a page. */
        readonly limit?: number;
        /** `next` of the previous page. */
        readonly cursor?: string;
        /** Only this owner's resources. Operators may omit it to see all owners; owners may pass only their own id. */
        readonly owner_id?: string;
        /** Only files of this type. */
        readonly type?: 'photo' | 'video' | 'audio';
      };
    };
    readonly answers: Schemas['ManagedMediaList'];
  };
  /** Upload a file */
  readonly 'POST /manage/v1/media': {
    readonly takes: {
      readonly query?: {
        /** The file's owner. The operator must name one; owners may pass only their own id. */
        readonly owner_id?: string;
      };
    };
    readonly answers: Schemas['MediaUpload'];
  };
  /** Delete an uploaded file */
  readonly 'DELETE /manage/v1/media/{id}': {
    readonly takes: {
      readonly path: {
        /** Id of the resource. */
        readonly id: string;
      };
    };
    readonly answers: undefined;
  };
  /** Show an uploaded file and the posts that need it */
  readonly 'GET /manage/v1/media/{id}': {
    readonly takes: {
      readonly path: {
        /** Id of the resource. */
        readonly id: string;
      };
    };
    readonly answers: Schemas['MediaDetails'];
  };
  /** Show what is published, what waits and what needs attention */
  readonly 'GET /manage/v1/overview': {
    readonly takes: {
      readonly query?: {
        /** Only this owner. Operators may omit it to see all owners; owners may pass only their own id. */
        readonly owner_id?: string;
      };
    };
    readonly answers: Schemas['CurrentOverview'];
  };
  /** List owners */
  readonly 'GET /manage/v1/owners': {
    readonly takes: {
      readonly query?: {
        /** Maximum number of items on a page. */
        readonly limit?: number;
        /** `next` of the previous page. */
        readonly cursor?: string;
        /** Only this owner's resources. Operators may omit it to see all owners; owners may pass only their own id. */
        readonly owner_id?: string;
      };
    };
    readonly answers: Schemas['OwnerList'];
  };
  /** Register an owner */
  readonly 'POST /manage/v1/owners': {
    readonly takes: { readonly body: Schemas['OwnerRequest'] };
    readonly answers: Schemas['OwnerWithKey'];
  };
  /** Delete an owner and everything that belongs to it */
  readonly 'DELETE /manage/v1/owners/{id}': {
    readonly takes: {
      readonly path: {
        /** Id of the resource. */
        readonly id: string;
      };
    };
    readonly answers: undefined;
  };
  /** Show an owner with its quota and limits */
  readonly 'GET /manage/v1/owners/{id}': {
    readonly takes: {
      readonly path: {
        /** Id of the resource. */
        readonly id: string;
      };
    };
    readonly answers: Schemas['OwnerDetails'];
  };
  /** Change an owner */
  readonly 'PATCH /manage/v1/owners/{id}': {
    readonly takes: {
      readonly path: {
        /** Id of the resource. */
        readonly id: string;
      };
      readonly body?: Schemas['OwnerPatchRequest'];
    };
    readonly answers: Schemas['Owner'];
  };
  /** Erase what an owner wrote in months that are over */
  readonly 'POST /manage/v1/owners/{id}/erase-content': {
    readonly takes: {
      readonly path: {
        /** Id of the resource. */
        readonly id: string;
      };
      readonly body: Schemas['EraseContentRequest'];
    };
    readonly answers: Schemas['Job'];
  };
  /** Add a post pack to the month */
  readonly 'POST /manage/v1/owners/{id}/post-packs': {
    readonly takes: {
      readonly path: {
        /** Id of the resource. */
        readonly id: string;
      };
      readonly body: Schemas['PostPackRequest'];
    };
    readonly answers: Schemas['Owner'];
  };
  /** Replace an owner's API key */
  readonly 'POST /manage/v1/owners/{id}/rotate-key': {
    readonly takes: {
      readonly path: {
        /** Id of the resource. */
        readonly id: string;
      };
      readonly body?: Schemas['RotateKeyRequest'];
    };
    readonly answers: Schemas['OwnerWithKey'];
  };
  /** Show the plans' figures */
  readonly 'GET /manage/v1/plans': { readonly takes: object; readonly answers: Schemas['Plans'] };
  /** List posts */
  readonly 'GET /manage/v1/posts': {
    readonly takes: {
      readonly query?: {
        /** Maximum number of items on a page. */
        readonly limit?: number;
        /** `next` of the previous page. */
        readonly cursor?: string;
        readonly endpoint_id?: string;
        /** Posts with a publication on this channel. */
        readonly channel_id?: string;
        /** Posts with a publication of this project. */
        readonly project_id?: string;
        /** Posts with a publication in this state; if channel or project is given too, the same publication must match it. */
        readonly state?:
          | 'planned'
          | 'queued'
          | 'publishing'
          | 'published'
          | 'failed'
          | 'in_doubt'
          | 'filtered'
          | 'dismissed'
          | 'withdrawing'
          | 'withdrawn'
          | 'withdraw_failed';
        /** `pending`: only posts that wait for approval. */
        readonly approval?: 'pending';
        readonly external_id?: string;
        readonly trace_id?: string;
        /** Words of the text or their beginnings: posts that have all of them, in any form of Russian and English words. */
        readonly text?: string;
        /** Posts that this actor posted, approved or rejected: `operator`, `owner:own_…`, `key:key_…` or `endpoint:ep_…`. */
        readonly by?: string;
        /** `publish_at` sorts the list like a calendar: earliest time first, and posts awaiting approval without a time last. `since` and `until` then apply to `publish_at`. */
        readonly order?: 'publish_at';
        /** Only posts that were accepted at this time or later. */
        readonly since?: string;
        /** Only posts that were accepted before this time. */
        readonly until?: string;
        /** Only this owner's posts. Operators may omit it to see all owners; owners may pass only their own id. */
        readonly owner_id?: string;
      };
    };
    readonly answers: Schemas['PostArchivedList'];
  };
  /** Show a post with its payload and publications */
  readonly 'GET /manage/v1/posts/{id}': {
    readonly takes: {
      readonly path: {
        /** Id of the resource. */
        readonly id: string;
      };
    };
    readonly answers: Schemas['PostWithPayload'];
  };
  /** Move a planned post to another time */
  readonly 'PATCH /manage/v1/posts/{id}': {
    readonly takes: {
      readonly path: {
        /** Id of the resource. */
        readonly id: string;
      };
      readonly body?: Schemas['RescheduleRequest'];
    };
    readonly answers: Schemas['ChangedPost'];
  };
  /** Approve a post that waits for approval */
  readonly 'POST /manage/v1/posts/{id}/approve': {
    readonly takes: {
      readonly path: {
        /** Id of the resource. */
        readonly id: string;
      };
      readonly body?: Schemas['ApproveRequest'];
    };
    readonly answers: Schemas['PostWithPayload'];
  };
  /** Cancel a post's planned or queued publications */
  readonly 'POST /manage/v1/posts/{id}/cancel': {
    readonly takes: {
      readonly path: {
        /** Id of the resource. */
        readonly id: string;
      };
    };
    readonly answers: Schemas['CancelledPost'];
  };
  /** Give a post new content */
  readonly 'PUT /manage/v1/posts/{id}/content': {
    readonly takes: {
      readonly path: {
        /** Id of the resource. */
        readonly id: string;
      };
      readonly query?: {
        /** `true` answers the same without any effect, and shows the calls. */
        readonly dry_run?: 'true' | 'false';
      };
      readonly body?: Schemas['ContentRequest'];
    };
    readonly answers: Schemas['EditedPost'];
  };
  /** Replace the payload of a planned post */
  readonly 'PUT /manage/v1/posts/{id}/payload': {
    readonly takes: {
      readonly path: {
        /** Id of the resource. */
        readonly id: string;
      };
      readonly body?: Schemas['PublishPayloadRequest'];
    };
    readonly answers: Schemas['ChangedPost'];
  };
  /** Reject a post that waits for approval */
  readonly 'POST /manage/v1/posts/{id}/reject': {
    readonly takes: {
      readonly path: {
        /** Id of the resource. */
        readonly id: string;
      };
      readonly body: Schemas['RejectRequest'];
    };
    readonly answers: Schemas['PostWithPayload'];
  };
  /** Show the numbers of a post */
  readonly 'GET /manage/v1/posts/{id}/statistics': {
    readonly takes: {
      readonly path: {
        /** Id of the resource. */
        readonly id: string;
      };
    };
    readonly answers: Schemas['PostStatistics'];
  };
  /** Read the numbers of a post now */
  readonly 'POST /manage/v1/posts/{id}/statistics': {
    readonly takes: {
      readonly path: {
        /** Id of the resource. */
        readonly id: string;
      };
    };
    readonly answers: Schemas['PostStatistics'];
  };
  /** Take a post back */
  readonly 'POST /manage/v1/posts/{id}/withdraw': {
    readonly takes: {
      readonly path: {
        /** Id of the resource. */
        readonly id: string;
      };
      readonly body?: Schemas['WithdrawRequest'];
    };
    readonly answers: Schemas['WithdrawnPost'];
  };
  /** List projections */
  readonly 'GET /manage/v1/projections': { readonly takes: object; readonly answers: Schemas['ProjectionList'] };
  /** Show a projection */
  readonly 'GET /manage/v1/projections/{name}': {
    readonly takes: { readonly path: { readonly name: string } };
    readonly answers: Schemas['Projection'];
  };
  /** Discard the candidate of a projection */
  readonly 'POST /manage/v1/projections/{name}/discard': {
    readonly takes: { readonly path: { readonly name: string } };
    readonly answers: Schemas['Projection'];
  };
  /** Make the rebuilt version of a projection live */
  readonly 'POST /manage/v1/projections/{name}/promote': {
    readonly takes: { readonly path: { readonly name: string } };
    readonly answers: Schemas['Projection'];
  };
  /** Rebuild a projection alongside its live version */
  readonly 'POST /manage/v1/projections/{name}/rebuild': {
    readonly takes: { readonly path: { readonly name: string }; readonly body?: Schemas['RebuildRequest'] };
    readonly answers: Schemas['Job'];
  };
  /** Retry the event at which a projection has stopped */
  readonly 'POST /manage/v1/projections/{name}/retry': {
    readonly takes: { readonly path: { readonly name: string } };
    readonly answers: Schemas['Projection'];
  };
  /** Make the previous version of a projection live again */
  readonly 'POST /manage/v1/projections/{name}/rollback': {
    readonly takes: { readonly path: { readonly name: string } };
    readonly answers: Schemas['Projection'];
  };
  /** Skip the event at which a projection has stopped */
  readonly 'POST /manage/v1/projections/{name}/skip': {
    readonly takes: { readonly path: { readonly name: string }; readonly body: Schemas['SkipRequest'] };
    readonly answers: Schemas['Projection'];
  };
  /** Compare a projection with a fresh replay of the history */
  readonly 'POST /manage/v1/projections/{name}/verify': {
    readonly takes: { readonly path: { readonly name: string } };
    readonly answers: Schemas['Job'];
  };
  /** List projects */
  readonly 'GET /manage/v1/projects': {
    readonly takes: {
      readonly query?: {
        /** Maximum number of items on a page. */
        readonly limit?: number;
        /** `next` of the previous page. */
        readonly cursor?: string;
        /** Only this owner's resources. Operators may omit it to see all owners; owners may pass only their own id. */
        readonly owner_id?: string;
      };
    };
    readonly answers: Schemas['ProjectList'];
  };
  /** Create a project */
  readonly 'POST /manage/v1/projects': {
    readonly takes: { readonly body: Schemas['ProjectRequest'] };
    readonly answers: Schemas['Project'];
  };
  /** Delete a project */
  readonly 'DELETE /manage/v1/projects/{id}': {
    readonly takes: {
      readonly path: {
        /** Id of the resource. */
        readonly id: string;
      };
      readonly query?: {
        /** `true`: also removes the resource from resources that refer to it; `false` (default): returns 409 if there are any. */
        readonly cascade?: 'true' | 'false';
      };
    };
    readonly answers: undefined;
  };
  /** Show a project */
  readonly 'GET /manage/v1/projects/{id}': {
    readonly takes: {
      readonly path: {
        /** Id of the resource. */
        readonly id: string;
      };
    };
    readonly answers: Schemas['Project'];
  };
  /** Change a project */
  readonly 'PATCH /manage/v1/projects/{id}': {
    readonly takes: {
      readonly path: {
        /** Id of the resource. */
        readonly id: string;
      };
      readonly body?: Schemas['ProjectPatchRequest'];
    };
    readonly answers: Schemas['Project'];
  };
  /** Pause a project */
  readonly 'POST /manage/v1/projects/{id}/pause': {
    readonly takes: {
      readonly path: {
        /** Id of the resource. */
        readonly id: string;
      };
      readonly body: Schemas['PauseRequest'];
    };
    readonly answers: Schemas['Project'];
  };
  /** Show a text after a project's processing */
  readonly 'POST /manage/v1/projects/{id}/preview': {
    readonly takes: {
      readonly path: {
        /** Id of the resource. */
        readonly id: string;
      };
      readonly body: Schemas['ProcessingPreviewRequest'];
    };
    readonly answers: Schemas['ProcessingPreview'];
  };
  /** Resume a project */
  readonly 'POST /manage/v1/projects/{id}/resume': {
    readonly takes: {
      readonly path: {
        /** Id of the resource. */
        readonly id: string;
      };
    };
    readonly answers: Schemas['Project'];
  };
  /** Show a publication */
  readonly 'GET /manage/v1/publications/{id}': {
    readonly takes: {
      readonly path: {
        /** Id of the resource. */
        readonly id: string;
      };
    };
    readonly answers: Schemas['Publication'];
  };
  /** Cancel a planned or queued publication */
  readonly 'POST /manage/v1/publications/{id}/cancel': {
    readonly takes: {
      readonly path: {
        /** Id of the resource. */
        readonly id: string;
      };
    };
    readonly answers: Schemas['Publication'];
  };
  /** Dismiss a publication that failed or is in doubt */
  readonly 'POST /manage/v1/publications/{id}/dismiss': {
    readonly takes: {
      readonly path: {
        /** Id of the resource. */
        readonly id: string;
      };
    };
    readonly answers: Schemas['Publication'];
  };
  /** Dismiss the duplicate of a publication that readers see twice */
  readonly 'POST /manage/v1/publications/{id}/dismiss-duplicate': {
    readonly takes: {
      readonly path: {
        /** Id of the resource. */
        readonly id: string;
      };
    };
    readonly answers: Schemas['Publication'];
  };
  /** Resend a publication that failed or is in doubt */
  readonly 'POST /manage/v1/publications/{id}/resend': {
    readonly takes: {
      readonly path: {
        /** Id of the resource. */
        readonly id: string;
      };
    };
    readonly answers: Schemas['Publication'];
  };
  /** Take a publication back */
  readonly 'POST /manage/v1/publications/{id}/withdraw': {
    readonly takes: {
      readonly path: {
        /** Id of the resource. */
        readonly id: string;
      };
      readonly body?: Schemas['WithdrawPublicationRequest'];
    };
    readonly answers: Schemas['Publication'];
  };
  /** Show what is held after a restore */
  readonly 'GET /manage/v1/recovery': {
    readonly takes: {
      readonly query?: {
        /** Only this owner. Operators may omit it to see all owners; owners may pass only their own id. */
        readonly owner_id?: string;
      };
    };
    readonly answers: Schemas['Recovery'];
  };
  /** Settle what is held after a restore */
  readonly 'POST /manage/v1/recovery/confirm': {
    readonly takes: { readonly body?: Schemas['ConfirmRecoveryRequest'] };
    readonly answers: Schemas['Settled'];
  };
  /** List sagas */
  readonly 'GET /manage/v1/sagas': { readonly takes: object; readonly answers: Schemas['SagaList'] };
  /** Show a saga */
  readonly 'GET /manage/v1/sagas/{name}': {
    readonly takes: { readonly path: { readonly name: string } };
    readonly answers: Schemas['Saga'];
  };
  /** Skip the event that a saga cannot handle */
  readonly 'POST /manage/v1/sagas/{name}/skip': {
    readonly takes: { readonly path: { readonly name: string }; readonly body: Schemas['SkipSagaRequest'] };
    readonly answers: Schemas['Saga'];
  };
  /** Show which keys seal the stored secrets */
  readonly 'GET /manage/v1/secrets': { readonly takes: object; readonly answers: Schemas['Secrets'] };
  /** Seal all stored secrets with SECRETS_KEY */
  readonly 'POST /manage/v1/secrets/reseal': { readonly takes: object; readonly answers: Schemas['Job'] };
  /** List the sessions of your key */
  readonly 'GET /manage/v1/sessions': { readonly takes: object; readonly answers: Schemas['Sessions'] };
  /** Sign in to the console */
  readonly 'POST /manage/v1/sessions': {
    readonly takes: { readonly body?: Schemas['SessionRequest'] };
    readonly answers: Schemas['NewSession'];
  };
  /** Sign out of the console */
  readonly 'DELETE /manage/v1/sessions/{id}': {
    readonly takes: {
      readonly path: {
        /** Id of the resource. */
        readonly id: string;
      };
    };
    readonly answers: undefined;
  };
  /** Export the numbers of all publications as CSV */
  readonly 'GET /manage/v1/statistics.csv': {
    readonly takes: {
      readonly query?: {
        /** Operators may omit it to see all owners; owners may pass only their own id. */
        readonly owner_id?: string;
        readonly project_id?: string;
        readonly channel_id?: string;
        /** Publications at this time or later. Default: 30 days before `until`. */
        readonly since?: string;
        /** Publications before this time. Default: now. */
        readonly until?: string;
      };
    };
    readonly answers: string;
  };
  /** List the posts with the highest numbers */
  readonly 'GET /manage/v1/statistics/top': {
    readonly takes: {
      readonly query?: {
        /** Operators may omit it to see all owners; owners may pass only their own id. */
        readonly owner_id?: string;
        readonly project_id?: string;
        readonly channel_id?: string;
        /** Publications at this time or later. Default: 30 days before `until`. */
        readonly since?: string;
        /** Publications before this time. Default: now. */
        readonly until?: string;
        /** The number to compare; default `views`. Posts without it are left out. */
        readonly by?: 'views' | 'reactions' | 'comments' | 'shares';
        /** Maximum number of items on a page. */
        readonly limit?: number;
      };
    };
    readonly answers: Schemas['TopPosts'];
  };
  /** Follow changes */
  readonly 'GET /manage/v1/stream': {
    readonly takes: {
      readonly query?: {
        /** Only this owner. Operators may omit it to see all owners; owners may pass only their own id. */
        readonly owner_id?: string;
      };
    };
    readonly answers: string;
  };
  /** List webhook outputs */
  readonly 'GET /manage/v1/webhook-outputs': {
    readonly takes: {
      readonly query?: {
        /** Maximum number of items on a page. */
        readonly limit?: number;
        /** `next` of the previous page. */
        readonly cursor?: string;
        /** Only this owner's resources. Operators may omit it to see all owners; owners may pass only their own id. */
        readonly owner_id?: string;
      };
    };
    readonly answers: Schemas['WebhookOutputList'];
  };
  /** Create a webhook output */
  readonly 'POST /manage/v1/webhook-outputs': {
    readonly takes: { readonly body: Schemas['WebhookOutputRequest'] };
    readonly answers: Schemas['WebhookOutputWithSecret'];
  };
  /** Delete a webhook output */
  readonly 'DELETE /manage/v1/webhook-outputs/{id}': {
    readonly takes: {
      readonly path: {
        /** Id of the resource. */
        readonly id: string;
      };
    };
    readonly answers: undefined;
  };
  /** Show a webhook output */
  readonly 'GET /manage/v1/webhook-outputs/{id}': {
    readonly takes: {
      readonly path: {
        /** Id of the resource. */
        readonly id: string;
      };
    };
    readonly answers: Schemas['WebhookOutput'];
  };
  /** Change a webhook output */
  readonly 'PATCH /manage/v1/webhook-outputs/{id}': {
    readonly takes: {
      readonly path: {
        /** Id of the resource. */
        readonly id: string;
      };
      readonly body?: Schemas['WebhookOutputPatchRequest'];
    };
    readonly answers: Schemas['WebhookOutput'];
  };
  /** List the deliveries of a webhook output */
  readonly 'GET /manage/v1/webhook-outputs/{id}/deliveries': {
    readonly takes: {
      readonly path: {
        /** Id of the resource. */
        readonly id: string;
      };
      readonly query?: {
        /** Maximum number of items on a page. */
        readonly limit?: number;
        /** `next` of the previous page. */
        readonly cursor?: string;
        /** Only deliveries in this state. */
        readonly state?: 'pending' | 'delivered' | 'failed';
      };
    };
    readonly answers: Schemas['DeliveryArchivedList'];
  };
  /** Disable a webhook output */
  readonly 'POST /manage/v1/webhook-outputs/{id}/disable': {
    readonly takes: {
      readonly path: {
        /** Id of the resource. */
        readonly id: string;
      };
    };
    readonly answers: Schemas['WebhookOutput'];
  };
  /** Enable a webhook output */
  readonly 'POST /manage/v1/webhook-outputs/{id}/enable': {
    readonly takes: {
      readonly path: {
        /** Id of the resource. */
        readonly id: string;
      };
    };
    readonly answers: Schemas['WebhookOutput'];
  };
  /** Send failed deliveries again */
  readonly 'POST /manage/v1/webhook-outputs/{id}/retry-failed': {
    readonly takes: {
      readonly path: {
        /** Id of the resource. */
        readonly id: string;
      };
      readonly body: Schemas['RetryFailedRequest'];
    };
    readonly answers: Schemas['RetriedOutput'];
  };
  /** Replace the signing secret of a webhook output */
  readonly 'POST /manage/v1/webhook-outputs/{id}/rotate-secret': {
    readonly takes: {
      readonly path: {
        /** Id of the resource. */
        readonly id: string;
      };
      readonly body?: Schemas['RotateSecretRequest'];
    };
    readonly answers: Schemas['WebhookOutputWithSecret'];
  };
  /** Send a test ping */
  readonly 'POST /manage/v1/webhook-outputs/{id}/test': {
    readonly takes: {
      readonly path: {
        /** Id of the resource. */
        readonly id: string;
      };
    };
    readonly answers: Schemas['Delivery'];
  };
}
