import type { PlatformDescriptor } from '../../../src/platforms/platform-catalogue.js';
import { createPinboardPublisher, PINBOARD_LIMITS } from './pinboard-publisher.js';

const BOARD_IN_WORDS = "the board's number, such as 42";

/** A fictional network: boards with short notes of plain text. */
export const pinboard: PlatformDescriptor = {
  id: 'pinboard',
  title: 'Pinboard',
  baseUrl: { setting: 'PINBOARD_API_URL', path: '/notes', default: 'https://api.pinboard.example' },
  credentials: {
    api_key: { kind: 'secret', example: "the board's API key" },
    board_id: { kind: 'address', form: /^[1-9]\d{0,8}$/, inWords: BOARD_IN_WORDS, example: BOARD_IN_WORDS },
  },
  settings: {
    paper: { kind: 'choice', values: ['yellow', 'blue'], default: 'yellow' },
    days: { kind: 'integer', min: 1, max: 30, default: 7 },
  },
  limits: PINBOARD_LIMITS,
  preview: { always: false, address: { board_id: '1' } },
  createPublisher: createPinboardPublisher,
};
