import { gunzipSync } from 'node:zlib';
import Fastify from 'fastify';
import { answerInReadersLanguage } from '../../language/reader-language.js';
import { compressAnswers } from './answers.js';

const LONG = { text: 'x'.repeat(5_000) };

const ask = async (url: string, headers: Readonly<Record<string, string>>) => {
  const fastify = Fastify();
  answerInReadersLanguage(fastify);
  compressAnswers(fastify);
  fastify.get('/manage/v1/long', () => LONG);
  fastify.get('/v1/long', () => LONG);
  fastify.get('/manage/v1/short', () => ({ text: 'x' }));
  const answer = await fastify.inject({ url, headers });
  await fastify.close();
  return answer;
};

describe('long answers of the management API (ADR-392)', () => {
  it('are compressed for clients that accept gzip', async () => {
    const { headers, rawPayload } = await ask('/manage/v1/long', { 'accept-encoding': 'br, gzip' });
    expect(headers['content-encoding']).toBe('gzip');
    expect(Number(headers['content-length'])).toBe(rawPayload.length);
    expect(JSON.parse(gunzipSync(rawPayload).toString())).toEqual(LONG);
  });

  it.each([
    ['/manage/v1/long', {}],
    ['/manage/v1/long', { 'accept-encoding': 'gzip;q=0, br' }],
    ['/manage/v1/short', { 'accept-encoding': 'gzip' }],
    ['/v1/long', { 'accept-encoding': 'gzip' }],
  ])('%s is not compressed for %j', async (url, headers) => {
    const answer = await ask(url, headers);
    expect(answer.headers['content-encoding']).toBeUndefined();
    expect(answer.json()).toHaveProperty('text');
  });

  it('name everything that they vary by', async () => {
    const { headers } = await ask('/manage/v1/long', { 'accept-encoding': 'gzip', 'accept-language': 'ru' });
    expect(String(headers['vary']).toLowerCase().split(', ').toSorted()).toEqual([
      'accept-encoding',
      'accept-language',
    ]);
  });
});
