import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useMemo } from 'react';
import { management } from '../api/management.js';
import { endpointName, useChannels, useEndpoints, useProjects } from '../api/things.js';
import { NAVIGATION, navigationMessages as names, OPERATOR_NAVIGATION } from '../app/navigation.js';
import { setTheme } from '../app/theme.js';
import { networkTitle } from '../components/icon.js';
import { format } from '../i18n/format.js';
import { defineMessages, LOCALES, setLocale, useLocale } from '../i18n/messages.js';
import { useMay, useScreens } from '../session/rights.js';
import { useScope } from '../session/session.js';
import { serverNow } from '../time/server-clock.js';
import type { Command } from './palette.js';

const m = defineMessages({
  en: {
    goTo: 'Screens and actions',
    things: 'Channels, channel sets, endpoints',
    posts: 'Posts',
    moment: (at: string) => `Time machine at ${at}`,
    pause: (name: string) => `Pause ${name}…`,
    newChannel: 'Connect a channel…',
    newProject: 'Create a channel set…',
    newEndpoint: 'Create an endpoint…',
    newOutput: 'Create a webhook…',
    light: 'Light theme',
    dark: 'Dark theme',
    keys: 'theme colours',
  },
  ru: {
    goTo: 'Перейти, сделать',
    things: 'Каналы, наборы, точки входа',
    posts: 'Посты',
    moment: (at: string) => `Машина времени: ${at}`,
    pause: (name: string) => `Приостановить ${name}…`,
    newChannel: 'Подключить канал…',
    newProject: 'Создать набор…',
    newEndpoint: 'Создать точку входа…',
    newOutput: 'Создать вебхук…',
    light: 'Светлая тема',
    dark: 'Тёмная тема',
    keys: 'тема цвета',
  },
});

const LANGUAGE_NAMES = { en: 'English', ru: 'Русский' } as const;

/**
 * Returns everything that the command palette can find or do.
 * @param text the search, which may be a time of day such as 11:48
 */
export const useCommands = (text: string): readonly Command[] => {
  const scope = useScope();
  const navigate = useNavigate();
  const channels = useChannels().data;
  const projects = useProjects().data;
  const endpoints = useEndpoints().data;
  const posts = useQuery({
    queryKey: ['posts', scope.key, 'palette'],
    queryFn: () => management().get('/posts', { query: { ...scope.query, limit: 200 } }),
  }).data;
  // Fetched separately, because planned posts may be too old to be among the latest posts.
  const planned = useQuery({
    queryKey: ['posts', scope.key, 'palette', 'planned'],
    queryFn: () =>
      management().get('/posts', { query: { ...scope.query, state: 'planned', order: 'publish_at', limit: 200 } }),
  }).data;
  const ofUse = useScreens();
  const mayPause = useMay('POST /channels/{id}/pause');
  const language = useLocale();
  return useMemo(() => {
    const go =
      (to: string): (() => void) =>
      () =>
        void navigate({ to });
    const screens = [...NAVIGATION.flat(), ...(scope.isOperator ? OPERATOR_NAVIGATION : [])];
    const commands: Command[] = ofUse(screens).map(({ to, name, icon, key }) => ({
      id: to,
      group: m.goTo,
      title: names[name],
      icon,
      hint: `g ${key}`,
      isUsual: true,
      run: go(to),
    }));
    const at = readTime(text);
    if (at !== null && ofUse([{ to: '/time' }]).length > 0)
      commands.push({
        id: 'moment',
        group: m.goTo,
        title: m.moment(format.seconds(at)),
        words: text,
        icon: 'timeMachine' as const,
        run: () => void navigate({ to: '/time', search: { at: new Date(at).toISOString() } }),
      });
    const creations = {
      channels: m.newChannel,
      projects: m.newProject,
      endpoints: m.newEndpoint,
      outputs: m.newOutput,
    };
    const created = Object.entries(creations).map(([folder, title]) => ({ to: `/${folder}/new`, title }));
    for (const { to, title } of ofUse(created))
      commands.push({ id: `new-${to}`, group: m.goTo, title, icon: 'plus', run: go(to) });
    commands.push({
      id: 'light',
      group: m.goTo,
      title: m.light,
      words: m.keys,
      icon: 'image',
      run: () => setTheme('light'),
    });
    commands.push({
      id: 'dark',
      group: m.goTo,
      title: m.dark,
      words: m.keys,
      icon: 'image',
      run: () => setTheme('dark'),
    });
    for (const locale of LOCALES)
      commands.push({
        id: locale,
        group: m.goTo,
        title: LANGUAGE_NAMES[locale],
        words: 'language язык',
        icon: 'image' as const,
        run: () => setLocale(locale),
      });
    for (const { id, name, platform } of channels ?? []) {
      const shared = { words: networkTitle(platform), hint: networkTitle(platform) };
      commands.push({ id, group: m.things, title: name, icon: 'channel', ...shared, run: go(`/channels/${id}`) });
      if (mayPause)
        commands.push({
          id: `pause-${id}`,
          group: m.goTo,
          title: m.pause(name),
          icon: 'paused' as const,
          ...shared,
          run: () => void navigate({ to: '/channels/$id', params: { id }, search: { pause: '1' } }),
        });
    }
    for (const { id, name } of projects ?? [])
      commands.push({ id, group: m.things, title: name, icon: 'project', run: go(`/projects/${id}`) });
    for (const endpoint of endpoints ?? [])
      commands.push({
        id: endpoint.id,
        group: m.things,
        title: endpointName(endpoint),
        icon: 'endpoint',
        run: go(`/endpoints/${endpoint.id}`),
      });
    const found = new Map([...(posts?.items ?? []), ...(planned?.items ?? [])].map((post) => [post.id, post]));
    for (const post of found.values()) {
      const plannedFor = post.released_at === null ? post.publish_at : null;
      commands.push({
        id: post.id,
        group: m.posts,
        title: post.excerpt ?? post.id,
        words: post.external_id ?? '',
        hint: format.moment(plannedFor ?? post.accepted_at, serverNow()),
        icon: plannedFor === null ? ('timeline' as const) : ('calendar' as const),
        run: go(`/posts/${post.id}`),
      });
    }
    return commands;
    // eslint-disable-next-line react-hooks/exhaustive-deps -- the texts follow the language
  }, [language, scope, navigate, mayPause, channels, projects, endpoints, posts, planned, text]);
};

/** Parses a time of day such as 11:48 or 11:48:20 as its most recent occurrence; null for anything else. */
const readTime = (text: string): number | null => {
  const match = /^\s*([01]?\d|2[0-3]):([0-5]\d)(?::([0-5]\d))?\s*$/.exec(text);
  if (!match) return null;
  const now = serverNow();
  const at = new Date(now);
  at.setHours(Number(match[1]), Number(match[2]), Number(match[3] ?? 0), 0);
  return at.getTime() > now ? at.getTime() - 86_400_000 : at.getTime();
};
