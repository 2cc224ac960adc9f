import type { Json } from '../../../src/kernel/ids.js';
import { failed, passed } from '../../../src/platforms/channel-check.js';
import { createConnections, exchange } from '../../../src/platforms/exchange.js';
import { classifyUnanswered } from '../../../src/platforms/outcomes.js';
import { plainText } from '../../../src/platforms/plain-text.js';
import type { PlatformLimits } from '../../../src/platforms/platform-catalogue.js';
import type {
  ConnectedPublisher,
  PlatformChannel,
  PlatformPost,
  PublisherOptions,
  Rendering,
  StepOutcome,
} from '../../../src/platforms/publisher.js';

export const PINBOARD_LIMITS = {
  text: 140,
  media: {},
  pace: { perChannel: [{ calls: 1, perMs: 1_000 }], perCredential: [{ calls: 10, perMs: 1_000 }] },
} as const satisfies PlatformLimits;

/** Renders a post as one note; media become links below the text. */
const renderNote = (post: PlatformPost, { address, settings }: PlatformChannel): Rendering => {
  const lines = post.media.map(({ url }) => url);
  const { text, trimmedChars } = plainText(post, { limit: PINBOARD_LIMITS.text, lines, signature: post.signature });
  const warnings = trimmedChars > 0 ? [{ code: 'text_trimmed', message: 'Pinboard takes 140 characters.' }] : [];
  const request = { board: Number(address['board_id']), text, paper: settings['paper'] ?? 'yellow' };
  return {
    steps: [{ name: 'note', visible: true, method: 'POST /notes', request }],
    warnings,
    textAfterTrim: text,
    trimmedChars,
  };
};

/** Creates the publisher for Pinboard, which makes one call per post. */
export const createPinboardPublisher = ({ apiUrl, timeoutMs = 30_000 }: PublisherOptions): ConnectedPublisher => {
  const connections = createConnections();
  return {
    platform: 'pinboard',
    pace: PINBOARD_LIMITS.pace,
    credentialFor: ({ api_key }) => api_key,
    render: renderNote,
    forecastResults: () => ({}),
    mediaOf: () => [],
    previewCalls: (step) => [step],
    close: () => connections.close(),
    async *test({ credentials, channel, awaitTurn, signal }) {
      const apiKey = credentials['api_key'] ?? '';
      await awaitTurn(apiKey);
      const url = `${apiUrl}/boards/${channel.address['board_id']}`;
      const answer = await exchange(
        connections,
        { method: 'GET', url, headers: { 'x-api-key': apiKey } },
        { timeoutMs, signal },
      );
      const isThere = answer.kind === 'answered' && answer.status === 200;
      yield isThere ? passed('chat', 'The board is there.') : failed('chat', 'Pinboard does not show this board.');
    },
    async send({ request }, { credentials, channel, signal }): Promise<StepOutcome> {
      const headers = { 'x-api-key': credentials['api_key'] ?? '', 'content-type': 'application/json' };
      const call = { method: 'POST', url: `${apiUrl}/notes`, headers, body: JSON.stringify(request) } as const;
      const answer = await exchange(connections, call, { timeoutMs, signal });
      const id = answer.kind === 'answered' && answer.status === 201 ? noteIdOf(answer.body) : undefined;
      if (typeof id !== 'number')
        return classifyUnanswered(answer, { title: 'Pinboard', platform: 'pinboard', visible: true, credentials });
      const url = `https://pinboard.example/${channel.address['board_id']}/${id}`;
      return { kind: 'done', result: { id }, messageIds: [String(id)], urls: [url] };
    },
  };
};

const noteIdOf = (body: Buffer): Json | undefined => (JSON.parse(body.toString()) as { readonly id?: Json }).id;
