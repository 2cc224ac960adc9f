import { Ledger } from '../../../stand-ins/kit/ledger.js';
import type { StandInAnswer, StandInCall, StandInDescriptor, StandInNetwork } from '../../../stand-ins/kit/network.js';
import { type RunningStandIn, serveStandIn, type StandInOptions } from '../../../stand-ins/kit/server.js';
import type { WallTheme } from '../../../stand-ins/walls/readers-view.js';
import { Wall } from '../../../stand-ins/walls/wall.js';

/** The one key that the boards of the tests accept. */
export const API_KEY = 'pinboard-key-of-the-tests';
const FIELDS = ['board', 'paper', 'text'];

const THEME: WallTheme = { layout: 'cards', properties: { '--accent': 'light-dark(#8a4b12, #e0a46a)' } };

/** Accepts a note of exactly the documented form, and nothing else. */
class PinboardNetwork implements StandInNetwork {
  readonly platform = 'pinboard';
  readonly title = 'Pinboard';

  constructor(private readonly ledger: Ledger) {}

  identify({ fields }: StandInCall): { method: string; channel: string | null } {
    return { method: 'notes', channel: typeof fields['board'] === 'number' ? String(fields['board']) : null };
  }

  async handle({ id, httpMethod, path, headers, fields }: StandInCall): Promise<StandInAnswer> {
    if (httpMethod === 'GET' && /^\/boards\/[1-9]\d*$/.test(path) && headers['x-api-key'] === API_KEY)
      return { status: 200, body: { open: true } };
    if (httpMethod !== 'POST' || path !== '/notes') return this.createErrorAnswer(404, 'no such call');
    if (headers['x-api-key'] !== API_KEY) return this.createErrorAnswer(401, 'wrong key');
    const { board, text, paper } = fields;
    if (Object.keys(fields).sort().join() !== FIELDS.join())
      return this.createErrorAnswer(400, 'unknown or missing fields');
    if (typeof board !== 'number' || !Number.isSafeInteger(board))
      return this.createErrorAnswer(400, 'board is a number');
    if (typeof text !== 'string' || text.trim() === '' || text.length > 140)
      return this.createErrorAnswer(400, 'bad text');
    if (paper !== 'yellow' && paper !== 'blue') return this.createErrorAnswer(400, 'unknown paper');
    const noteId = this.ledger.last + 1;
    await this.ledger.append([
      {
        channel: String(board),
        channel_title: `Board ${board}`,
        channel_handle: null,
        message_id: String(noteId),
        group_id: null,
        reply_to: null,
        text,
        entities: [],
        buttons: [],
        media: [],
        call_id: id,
      },
    ]);
    return { status: 201, body: { id: noteId } };
  }

  createErrorAnswer(status: number, sentence: string): StandInAnswer {
    return { status, body: { error: sentence } };
  }
}

const startPinboardStandIn = async (options: StandInOptions): Promise<RunningStandIn> => {
  const wall = new Wall('pinboard', 'Pinboard', `${options.ledgerFile}.media`, THEME);
  const onEntry = (entry: Parameters<Wall['add']>[0]): void => wall.add(entry);
  const ledger = await Ledger.open({ file: options.ledgerFile, platform: 'pinboard', onEntry });
  return serveStandIn({ network: new PinboardNetwork(ledger), ledger, wall }, options);
};

/** The stand-in of Pinboard. */
export const pinboardStandIn: StandInDescriptor = {
  platform: 'pinboard',
  theme: THEME,
  demoChannel: { name: 'Harbour notes', credentials: { api_key: API_KEY, board_id: '42' } },
  start: startPinboardStandIn,
};
