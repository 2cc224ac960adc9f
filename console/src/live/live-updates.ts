import { useSyncExternalStore } from 'react';
import { noteAnswer, noteNoAnswer } from '../api/connection.js';
import { CONSOLE_HEADER } from '../api/early-calls.js';
import { queryClient } from '../api/management.js';
import { createStore } from '../components/store.js';
import { may } from '../session/rights.js';
import { getSession, onSessionChange } from '../session/session.js';
import { type Change, createInvalidator } from './invalidate.js';

/** One server-sent event. */
export interface ServerEvent {
  /** Null if the event has none. */
  readonly id: string | null;
  /** `message` unless the event specifies another type. */
  readonly event: string;
  readonly data: string;
}

/**
 * Reads server-sent events from a response body, because the browser's own `EventSource` cannot send the authorization
 * header. Calls `onComment` for each comment, which shows that the connection is alive.
 */
export async function* readServerEvents(
  body: ReadableStream<Uint8Array>,
  onComment: () => void,
): AsyncGenerator<ServerEvent> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let unread = '';
  let event = emptyEvent();
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      unread += decoder.decode(value, { stream: true });
      const lines = unread.split(/\r\n|\n|\r/);
      unread = lines.pop() ?? '';
      for (const line of lines) {
        if (line === '') {
          if (event.data.length > 0) yield { id: event.id, event: event.name, data: event.data.join('\n') };
          event = { ...emptyEvent(), id: event.id };
        } else if (line.startsWith(':')) onComment();
        else readField(event, line);
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

interface PartialEvent {
  id: string | null;
  name: string;
  data: string[];
}

const emptyEvent = (): PartialEvent => ({ id: null, name: 'message', data: [] });

const readField = (event: PartialEvent, line: string): void => {
  const colon = line.indexOf(':');
  const field = colon < 0 ? line : line.slice(0, colon);
  const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
  if (field === 'id') event.id = value;
  if (field === 'event') event.name = value;
  if (field === 'data') event.data.push(value);
};

/** How changes reach this tab: through the stream, by polling every five seconds, or not at all right now. */
export type LiveMode = 'stream' | 'polling' | 'off';

/** Number of consecutive stream failures after which the screens poll instead. */
const FAILURES_BEFORE_POLLING = 3;
const POLL_MS = 5_000;
const PREVIEWS: ReadonlySet<unknown> = new Set(['preview', 'processing-preview']);
/** The gateway sends a comment every 15 s. Without any data for this long, in ms, the connection counts as lost. */
const SILENCE_MS = 40_000;
/** Maximum wait before reconnecting to the stream, in ms. */
const MAX_WAIT_MS = 30_000;

const mode = createStore<LiveMode>('off');
const invalidate = createInvalidator(queryClient);

/** Returns how changes reach this tab. */
export const useLiveMode = (): LiveMode => useSyncExternalStore(mode.subscribe, mode.get);

let running: AbortController | undefined;

/**
 * Follows the changes in the session's scope while the tab is visible. Restarts when the session or the tab's
 * visibility changes.
 */
export const startLiveUpdates = (): void => {
  onSessionChange(restart);
  document.addEventListener('visibilitychange', restart);
  restart();
};

const restart = (): void => {
  running?.abort();
  running = undefined;
  const session = getSession();
  if (!session || document.hidden) return mode.set('off');
  running = new AbortController();
  void follow(session.owner?.id ?? null, session.role === 'operator', running.signal);
};

/**
 * Position of the last change received in each scope. The stream resumes there after an interruption, or when a hidden
 * tab becomes visible again.
 */
const lastPosition = new Map<string, string>();

const follow = async (ownerId: string | null, isOperator: boolean, signal: AbortSignal): Promise<void> => {
  const scope = `${isOperator ? 'operator' : 'owner'} ${ownerId ?? ''}`;
  let failures = 0;
  while (!signal.aborted) {
    // A key that is limited to endpoints has no stream (D-93).
    if (!may(getSession(), 'GET /stream')) {
      await poll(MAX_WAIT_MS, signal);
      continue;
    }
    const opened = await readStream(isOperator ? ownerId : null, scope, signal);
    if (signal.aborted) return;
    failures = opened ? 0 : failures + 1;
    const wait = Math.min(MAX_WAIT_MS, opened ? 250 : 1000 * 2 ** (failures - 1));
    if (failures < FAILURES_BEFORE_POLLING) await sleep(wait, signal);
    else await poll(wait, signal);
  }
};

/** Reads the stream to its end. Returns false if it could not be opened. */
const readStream = async (ownerId: string | null, scope: string, outer: AbortSignal): Promise<boolean> => {
  const silence = new AbortController();
  let timer = setTimeout(() => silence.abort(), SILENCE_MS);
  const heard = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => silence.abort(), SILENCE_MS);
    noteAnswer();
  };
  let opened = false;
  try {
    const after = lastPosition.get(scope);
    const answer = await fetch(
      `/manage/v1/stream${ownerId === null ? '' : `?owner_id=${encodeURIComponent(ownerId)}`}`,
      {
        headers: { ...CONSOLE_HEADER, ...(after !== undefined && { 'last-event-id': after }) },
        signal: AbortSignal.any([outer, silence.signal]),
      },
    );
    if (!answer.ok || !answer.body) return false;
    opened = true;
    heard();
    mode.set('stream');
    // Without a position, the gateway does not send the changes made before this connection.
    if (after === undefined) void queryClient.invalidateQueries();
    for await (const { id, event, data } of readServerEvents(answer.body, heard)) {
      heard();
      if (id !== null) lastPosition.set(scope, id);
      if (event === 'bye') return true;
      if (event === 'change') announce(data);
    }
    return true;
  } catch {
    if (!outer.aborted) noteNoAnswer();
    return opened;
  } finally {
    clearTimeout(timer);
  }
};

const announce = (data: string): void => {
  const change = JSON.parse(data) as Change;
  if (change.kind === 'reset') return void queryClient.invalidateQueries();
  invalidate(change);
};

/**
 * Refreshes everything on the screen every five seconds, until it is time to try the stream again.
 * @param ms how long to poll, but at least one interval
 */
const poll = async (ms: number, signal: AbortSignal): Promise<void> => {
  mode.set('polling');
  const until = Date.now() + Math.max(ms, POLL_MS);
  while (!signal.aborted && Date.now() < until) {
    // A preview is a call of the sandbox, of which an owner has some a day.
    await queryClient.invalidateQueries({ predicate: ({ queryKey: [what] }) => !PREVIEWS.has(what) });
    await sleep(POLL_MS, signal);
  }
};

const sleep = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
