/**
 * Creates an owner with channels, a project for each of them, and endpoints, through the management API. `settings` are
 * additional members of the body of POST /endpoints. Returns each endpoint's path, token, signing secret and channel.
 */
export const seed = async (baseUrl, operatorKey, wanted) => {
  const { endpoints, channels = 1, platforms = ['telegram'], plan = 'business', settings = {} } = wanted;
  const call = async (path, body) => {
    const response = await fetch(`${baseUrl}/manage/v1${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${operatorKey}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const json = await response.json();
    if (response.status !== 201) throw new Error(`${path}: ${response.status} ${JSON.stringify(json)}`);
    return json;
  };
  const { id: owner_id } = await call('/owners', { name: 'Bench', plan });
  const projects = await runInParallel(channels, async (i) => {
    const platform = platforms[i % platforms.length];
    const credentials = CREDENTIALS[platform](i);
    const channel = await call('/channels', { owner_id, platform, name: `Channel ${i}`, credentials });
    const project = await call('/projects', { owner_id, name: `Project ${i}`, channel_ids: [channel.id] });
    const chatId = credentials.chat_id ?? credentials.group_id;
    return { projectId: project.id, channelId: channel.id, platform, chatId };
  });
  return runInParallel(endpoints, async (i) => {
    const project = projects[i % projects.length];
    const body = { owner_id, project_ids: [project.projectId], mode: 'live', min_interval: 0, ...settings };
    const { id, slug, token, signing_secret } = await call('/endpoints', body);
    return {
      path: `/v1/webhooks/${slug}`,
      token,
      secret: signing_secret,
      ownerId: owner_id,
      endpointId: id,
      ...project,
    };
  });
};

const CONCURRENT_CALLS = 32;

/** Credentials of the i-th channel, by network: its own chat, and one of twenty bots or accounts. */
const CREDENTIALS = {
  telegram: (i) => ({ bot_token: `1000${i % 20}:${'b'.repeat(35)}`, chat_id: `-100${1_000_000 + i}` }),
  vk: (i) => ({
    access_token: `vk1.a.community-${i % 20}`,
    upload_token: `vk1.a.user-${i % 20}`,
    group_id: String(1_000_000 + i),
  }),
  max: (i) => ({ access_token: `max-${i % 20}`, chat_id: String(-(1_000_000 + i)) }),
  ok: (i) => ({
    application_key: 'BENCHBENCHBENCH',
    application_secret: 'BENCHBENCHBENCH',
    access_token: `-s-${i % 20}`,
    group_id: String(1_000_000 + i),
  }),
};

/**
 * Returns the bot token of a Telegram chat that {@link seed} created. @param chatId Telegram's id of the chat, a number
 */
export const botTokenOf = (chatId) =>
  CREDENTIALS.telegram(Number(String(chatId).slice('-100'.length)) - 1_000_000).bot_token;

const runInParallel = async (count, work) => {
  const results = [];
  let next = 0;
  const lane = async () => {
    while (next < count) {
      const i = next++;
      results[i] = await work(i);
    }
  };
  await Promise.all(Array.from({ length: CONCURRENT_CALLS }, lane));
  return results;
};

/** Returns a profile without limits, for benches and load tests. */
export const unlimitedProfile = () => {
  const plan = (input) => ({
    burst: null,
    hourly: null,
    monthly_posts: null,
    sandbox_daily: null,
    webhook_input: input,
    webhook_output: true,
  });
  const names = ['free', 'mini', 'standard', 'pro', 'maxi', 'business'];
  return {
    plans: Object.fromEntries(names.map((name) => [name, plan(true)])),
    min_interval: { min: 0, max: 60, default: 0 },
    discovery_per_minute: null,
    pauses_per_minute: null,
    replays_per_minute: null,
    probes_per_minute: null,
    probe_bytes_per_minute: null,
    violations_to_disable: null,
  };
};

/** Returns a profile in which every limit is counted but none is reached. */
export const limitedProfile = () => {
  const { plans, ...profile } = unlimitedProfile();
  const limited = { burst: { requests: 10_000, per_seconds: 1 }, hourly: 10_000_000 };
  return {
    ...profile,
    plans: Object.fromEntries(Object.entries(plans).map(([name, plan]) => [name, { ...plan, ...limited }])),
    replays_per_minute: 60,
    violations_to_disable: 5,
  };
};

/** Body of a post; `$N` is replaced by its number. */
export const POST_BODY = JSON.stringify({
  text: 'Post $N of the bench: a text of usual length, with some words in bold and a link, as channels get it every day.',
  entities: [
    { type: 'bold', offset: 0, length: 4 },
    { type: 'text_link', offset: 9, length: 3, url: 'https://example.com/' },
  ],
  trace_id: 'bench',
});
