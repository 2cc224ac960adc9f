import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from './until.js';

/** Fields of a publication that tests read (management-api.md: publication). */
export interface Publication {
  readonly id: string;
  readonly target_id: string;
  readonly sequence: number;
  readonly state: 'queued' | 'publishing' | 'published' | 'failed' | 'in_doubt' | 'filtered' | 'dismissed';
  readonly waiting_for: { readonly rule: string; readonly until: string | null; readonly text: string } | null;
  readonly attempts: readonly { readonly n: number; readonly started_at: string; readonly outcome: string | null }[];
  readonly message_ids: readonly string[];
}

/** Fields of a post that tests read (management-api.md: post); `payload` only in GET /posts/{id}. */
export interface Post {
  readonly id: string;
  readonly endpoint_id: string;
  readonly payload?: Readonly<Record<string, unknown>>;
  readonly publications: readonly Publication[];
}

/** Receipt of a publication (D-37). */
export interface Receipt {
  readonly sequence: number;
  readonly post_id: string;
  readonly publication_id: string;
  readonly state: Publication['state'];
  readonly message_ids: readonly string[];
}

/** A channel and its chat. */
export interface Channel {
  readonly id: string;
  readonly chatId: string;
}

/** An endpoint and its channels. */
export interface Endpoint {
  readonly id: string;
  readonly path: string;
  readonly token: string;
  readonly channels: readonly Channel[];
}

/** Resources that {@link ManagementClient.seed} creates. */
export interface Seeded {
  readonly channels: readonly Channel[];
  readonly endpoints: readonly Endpoint[];
}

export const OPERATOR_KEY = 'service_operator_end_to_end';

/** Client of the management API with the operator's key. */
export class ManagementClient {
  /** @param url returns the gateway's current URL */
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

  /** Returns all receipts of a channel, in order. */
  async listReceipts(channelId: string): Promise<Receipt[]> {
    const all: Receipt[] = [];
    for (;;) {
      const from = (all.at(-1)?.sequence ?? 0) + 1;
      const { items } = await this.get<{ items: Receipt[] }>(`/channels/${channelId}/receipts?from=${from}&limit=200`);
      if (items.length === 0) return all;
      all.push(...items);
    }
  }

  /**
   * Creates an owner, channels, and for each list of channel numbers an endpoint with its own project.
   * @param count number of channels
   * @param endpoints channels of each endpoint, by number
   * @param settings further fields of POST /endpoints
   */
  async seed(count: number, endpoints: readonly (readonly number[])[], settings: object = {}): Promise<Seeded> {
    const { id: owner_id } = await this.create<{ id: string }>('/owners', { name: 'End to end', plan: 'business' });
    const channels: Channel[] = [];
    for (let i = 1; i <= count; i++) {
      const credentials = { bot_token: `${1000 + i}:${'t'.repeat(35)}`, chat_id: `-100${1_000_000 + i}` };
      const body = { owner_id, platform: 'telegram', name: `Channel ${i}`, credentials };
      const { id } = await this.create<{ id: string }>('/channels', body);
      channels.push({ id, chatId: credentials.chat_id });
    }
    const seeded: Endpoint[] = [];
    for (const [i, numbers] of endpoints.entries()) {
      const endpointChannels = numbers.map((number) => channels[number]!);
      const channel_ids = endpointChannels.map(({ id }) => id);
      const project = await this.create<{ id: string }>('/projects', { owner_id, name: `Project ${i}`, channel_ids });
      const body = { owner_id, project_ids: [project.id], mode: 'live', min_interval: 0, ...settings };
      const { id, slug, token } = await this.create<{ id: string; slug: string; token: string }>('/endpoints', body);
      seeded.push({ id, path: `/v1/webhooks/${slug}`, token, channels: endpointChannels });
    }
    return { channels, endpoints: seeded };
  }

  /** Creates a resource. Repeats the request, with the same key, while the gateway answers 503 because its read models are not ready. */
  private async create<T>(path: string, body: object): Promise<T> {
    const key = randomUUID();
    return until(`POST ${path}`, () => this.call<T>('POST', path, body, key));
  }

  /** Sends a request. Repeats a change, with the same key, if the gateway answers 503 because its read models are late. */
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
