import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from './until.js';

/** management-api.md: publication, as far as tests look at it. */
export interface Publication {
  readonly id: string;
  readonly target_id: string;
  readonly sequence: number;
  readonly state: 'queued' | 'publishing' | 'published' | 'failed' | 'in_doubt' | 'filtered' | 'dismissed';
  readonly waiting_for: { readonly rule: string; readonly until: string | null; readonly text: string } | null;
  readonly attempts: readonly { readonly n: number; readonly started_at: string; readonly outcome: string | null }[];
  readonly message_ids: readonly string[];
}

/** management-api.md: a post; `payload` in GET /posts/{id} alone. */
export interface Post {
  readonly id: string;
  readonly endpoint_id: string;
  readonly payload?: Readonly<Record<string, unknown>>;
  readonly publications: readonly Publication[];
}

/** D-37. */
export interface Receipt {
  readonly sequence: number;
  readonly post_id: string;
  readonly publication_id: string;
  readonly state: Publication['state'];
  readonly message_ids: readonly string[];
}

/** A channel, and the chat that it stands for. */
export interface Channel {
  readonly id: string;
  readonly chatId: string;
}

/** Where posts are sent, and the channels that they go to. */
export interface Endpoint {
  readonly id: string;
  readonly path: string;
  readonly token: string;
  readonly channels: readonly Channel[];
}

/** What a test works with. */
export interface Seeded {
  readonly channels: readonly Channel[];
  readonly endpoints: readonly Endpoint[];
}

export const OPERATOR_KEY = 'service_operator_end_to_end';

/** The management API as the operator uses it. */
export class Manage {
  /** @param url of the gateway as it is at the time: it may have moved */
  constructor(private readonly url: () => string) {}

  async get<T>(path: string): Promise<T> {
    return this.call<T>('GET', path);
  }

  async post<T>(path: string, body: object = {}): Promise<T> {
    return this.call<T>('POST', path, body);
  }

  async patch<T>(path: string, body: object): Promise<T> {
    return this.call<T>('PATCH', path, body);
  }

  async findPost(id: string): Promise<Post> {
    return this.get<Post>(`/posts/${id}`);
  }

  /** All that a channel was ever given, in its order. */
  async receipts(channelId: string): Promise<Receipt[]> {
    const all: Receipt[] = [];
    for (;;) {
      const from = (all.at(-1)?.sequence ?? 0) + 1;
      const { items } = await this.get<{ items: Receipt[] }>(`/channels/${channelId}/receipts?from=${from}&limit=200`);
      if (items.length === 0) return all;
      all.push(...items);
    }
  }

  /**
   * An owner, as many channels as asked for, and an endpoint for each list of channel numbers, over a project of its own.
   * @param settings more of what POST /endpoints takes
   */
  async seed(count: number, endpoints: readonly (readonly number[])[], settings: object = {}): Promise<Seeded> {
    const { id: owner_id } = await this.create<{ id: string }>('/owners', { name: 'End to end', plan: 'business' });
    const channels: Channel[] = [];
    for (let i = 1; i <= count; i++) {
      const credentials = { bot_token: `${1000 + i}:${'t'.repeat(35)}`, chat_id: `-100${1_000_000 + i}` };
      const named = { owner_id, platform: 'telegram', name: `Channel ${i}`, credentials };
      const { id } = await this.create<{ id: string }>('/channels', named);
      channels.push({ id, chatId: credentials.chat_id });
    }
    const seeded: Endpoint[] = [];
    for (const [i, numbers] of endpoints.entries()) {
      const itsChannels = numbers.map((number) => channels[number]!);
      const channel_ids = itsChannels.map(({ id }) => id);
      const project = await this.create<{ id: string }>('/projects', { owner_id, name: `Project ${i}`, channel_ids });
      const draft = { owner_id, project_ids: [project.id], mode: 'live', min_interval: 0, ...settings };
      const { id, slug, token } = await this.create<{ id: string; slug: string; token: string }>('/endpoints', draft);
      seeded.push({ id, path: `/v1/webhooks/${slug}`, token, channels: itsChannels });
    }
    return { channels, endpoints: seeded };
  }

  /** A gateway that has only just started has no views yet, and says 503: the same key makes the repeat harmless. */
  private async create<T>(path: string, body: object): Promise<T> {
    const key = randomUUID();
    return until(`POST ${path}`, () => this.call<T>('POST', path, body, key), 20_000);
  }

  /** A change whose views are late (503) is asked for again, as the answer advises: with the same key that is safe. */
  private async call<T>(method: string, path: string, body?: object, key = randomUUID(), repeats = 3): Promise<T> {
    const answer = await fetch(`${this.url()}/manage/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${OPERATOR_KEY}`,
        ...(body && { 'content-type': 'application/json' }),
        ...(method !== 'GET' && { 'idempotency-key': key }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (answer.status === 503 && method !== 'GET' && repeats > 0) {
      await sleep(1_000);
      return this.call<T>(method, path, body, key, repeats - 1);
    }
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return JSON.parse(text) as T;
  }
}
