import type { FastifyInstance } from 'fastify';
import { describeProblems } from '../api/transport/problem.view.js';
import { MANAGEMENT } from './russian/management.js';
import { NETWORKS } from './russian/networks.js';
import { POSTS } from './russian/posts.js';
import { REQUESTS } from './russian/requests.js';
import { RESOURCES } from './russian/resources.js';
import { VOCABULARY } from './russian/words.js';
import { Translator } from './translation.js';

export const RUSSIAN_TABLES = [...REQUESTS, ...POSTS, ...NETWORKS, ...MANAGEMENT, ...RESOURCES, VOCABULARY];

export const RUSSIAN = new Translator(RUSSIAN_TABLES, 'тело запроса', 'или');

/**
 * Returns the language of an answer: the one that `Accept-Language` (RFC 9110, 12.5.4) prefers, the earlier of two
 * equal ones, and English if it names neither.
 */
export const preferredLanguage = (header: string): 'en' | 'ru' => {
  let best: { readonly language: 'en' | 'ru'; readonly quality: number } = { language: 'en', quality: 0 };
  for (const range of header.split(',')) {
    const [, name = '', weight = '1'] = /^\s*([\w*-]+)\s*(?:;\s*q\s*=\s*([\d.]+)\s*)?$/i.exec(range) ?? [];
    const language = /^ru(-|$)/i.test(name) ? 'ru' : /^(en(-|$)|\*$)/i.test(name) ? 'en' : null;
    if (language && Number(weight) > best.quality) best = { language, quality: Number(weight) };
  }
  return best.language;
};

/** Answers in the reader's language (ADR-320). Without `Accept-Language`, nothing changes. */
export const answerInReadersLanguage = (fastify: FastifyInstance): void => {
  fastify.addHook('preSerialization', (request, reply, payload, done) => {
    const header = request.headers['accept-language'];
    if (header === undefined || header === '*') return done(null, payload); // `*`: what Node's fetch sends
    const language = preferredLanguage(header);
    const varies = reply.getHeader('vary');
    void reply.header('vary', varies === undefined ? 'Accept-Language' : `${String(varies)}, Accept-Language`);
    void reply.header('content-language', language);
    done(null, language === 'en' ? payload : translateAnswer(payload, null));
  });
};

/** Members of answers that are sentences of the gateway, or nothing that resembles one. */
const SENTENCES = new Set(['message', 'note', 'reason']);
/** Members whose `text` is a sentence; elsewhere, it is a post's. */
const EXPLAINED = new Set(['waiting_for', 'attention', 'can', 'statistics']);
/** Members that show what people, networks or events contain. */
const VERBATIM = new Set(['payload', 'metadata', 'overrides', 'entities', 'data', 'body', 'calls', 'platform_says']);

/** Returns an answer with its sentences in Russian. @param place the member that holds the value */
export const translateAnswer = (value: unknown, place: string | null): unknown => {
  if (Array.isArray(value)) return value.map((item) => translateAnswer(item, place));
  if (typeof value !== 'object' || value === null || 'toJSON' in value) return value;
  const answer: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(value)) {
    const isSentence = SENTENCES.has(name) || (name === 'text' && EXPLAINED.has(place ?? ''));
    if (typeof member === 'string') answer[name] = isSentence ? RUSSIAN.translate(member) : member;
    else answer[name] = VERBATIM.has(name) ? member : translateAnswer(member, name);
  }
  if ('errors' in answer && 'details' in answer) answer['errors'] = describeProblems(answer['details'] as never);
  return answer;
};
