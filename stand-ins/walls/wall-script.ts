/**
 * Keeps a page of walls up to date: polls each source once a second for new posts, inserts them, scrolls to the newest
 * post if the reader is at the end, and shows times in the reader's time zone. Plain JavaScript for the browser.
 */
export const WALL_SCRIPT = String.raw`
(() => {
  const live = document.querySelector('.live');
  const template = document.getElementById('channel-template');
  const hues = [4, 24, 140, 178, 208, 262, 330];
  const many = document.body.classList.contains('many');
  const clock = new Intl.DateTimeFormat([], { hour: '2-digit', minute: '2-digit', hour12: false });
  const dayOf = new Intl.DateTimeFormat(document.documentElement.lang, { day: 'numeric', month: 'long' });
  const texts = JSON.parse(document.body.dataset.texts);
  const localDay = (iso) => new Date(iso).toDateString();

  const localise = (root) => {
    for (const time of root.querySelectorAll('.post time')) time.textContent = clock.format(new Date(time.dateTime));
    for (const note of root.querySelectorAll('.post .note')) note.textContent = texts.notes[note.textContent] ?? note.textContent;
  };
  const atEnd = (posts) => posts.scrollHeight - posts.scrollTop - posts.clientHeight < 80;
  const toEnd = (posts, behavior) => posts.scrollTo({ top: posts.scrollHeight, behavior });

  const wire = (channel) => {
    const posts = channel.querySelector('.posts');
    const newer = channel.querySelector('.newer');
    posts.addEventListener('scroll', () => { newer.hidden = atEnd(posts); }, { passive: true });
    newer.addEventListener('click', () => toEnd(posts, 'smooth'));
    // An image that loads later makes the wall longer, so keep a reader at the end there.
    posts.addEventListener('load', () => { if (newer.hidden) toEnd(posts, 'instant'); }, true);
    toEnd(posts, 'instant');
  };
  const separate = (posts) => {
    for (const day of posts.querySelectorAll('.day')) day.remove();
    let last = '';
    for (const post of posts.querySelectorAll('.post')) {
      const iso = post.querySelector('time').dateTime;
      if (localDay(iso) === last) continue;
      last = localDay(iso);
      post.before(dayLine(iso));
    }
  };
  const dayLine = (iso) => {
    const line = document.createElement('div');
    line.className = 'day';
    const time = document.createElement('time');
    time.dateTime = iso;
    time.textContent = localDay(iso) === new Date().toDateString() ? texts.today : dayOf.format(new Date(iso));
    line.append(time);
    return line;
  };

  const find = (source, selector, key) =>
    [...source.querySelectorAll(selector)].find((one) => one.dataset.channel === key);
  const press = (source, key) => {
    for (const chip of source.querySelectorAll('.chip')) chip.setAttribute('aria-pressed', chip.dataset.channel === key);
  };
  const show = (source, key, byHand) => {
    press(source, key);
    for (const channel of source.querySelectorAll('.channel')) channel.classList.toggle('active', channel.dataset.channel === key);
    const channel = find(source, '.channel', key);
    if (!channel) return;
    if (many) toEnd(channel.querySelector('.posts'), 'instant');
    else if (byHand) channel.scrollIntoView({ behavior: 'smooth', inline: 'center', block: 'nearest' });
  };
  const addChannel = (source, { key, title, handle }) => {
    const channel = template.content.firstElementChild.cloneNode(true);
    channel.dataset.channel = key;
    channel.dataset.hue = hues[[...key].reduce((sum, char) => (sum * 31 + char.codePointAt(0)) % 9973, 0) % hues.length];
    channel.querySelector('.avatar').textContent =
      title.split(/\s+/).slice(0, 2).map((word) => [...word][0] || '').join('').toUpperCase();
    channel.querySelector('h3').textContent = title;
    channel.querySelector('header p').textContent = handle === null ? key : '@' + handle;
    source.querySelector('.nothing').before(channel);
    const chip = document.createElement('button');
    chip.className = 'chip';
    chip.type = 'button';
    chip.dataset.channel = key;
    chip.textContent = title;
    source.querySelector('.chips').append(chip);
    wire(channel);
    if (source.querySelectorAll('.channel').length === 1) show(source, key, false);
    return channel;
  };

  const put = (source, feed) => {
    for (const channel of feed.channels) find(source, '.channel', channel.key) || addChannel(source, channel);
    for (const { channel: key, html, seq } of feed.posts) {
      const posts = find(source, '.channel', key).querySelector('.posts');
      const shown = posts.querySelector('[data-seq="' + seq + '"]');
      const follow = atEnd(posts);
      const holder = document.createElement('template');
      holder.innerHTML = html;
      localise(holder.content);
      const post = holder.content.firstElementChild;
      if (shown) {
        shown.replaceWith(post);
        continue;
      }
      const iso = post.querySelector('time').dateTime;
      const before = [...posts.querySelectorAll('.post time')].at(-1);
      if (!before || localDay(before.dateTime) !== localDay(iso)) posts.append(dayLine(iso));
      post.classList.add('fresh');
      posts.append(post);
      if (follow) toEnd(posts, 'smooth');
    }
  };

  const follow = async (source) => {
    const url = new URL(source.dataset.feed, location.href);
    for (;;) {
      await new Promise((resolve) => setTimeout(resolve, 1000));
      if (document.hidden) continue;
      url.searchParams.set('after', source.dataset.next);
      try {
        const response = await fetch(url, { cache: 'no-store' });
        if (!response.ok) throw new Error(response.status);
        const feed = await response.json();
        if (feed.next < Number(source.dataset.next)) return location.reload();
        put(source, feed);
        source.dataset.next = feed.next;
        live.classList.remove('off');
        live.textContent = texts.live;
      } catch {
        live.classList.add('off');
        live.textContent = texts.offline;
      }
    }
  };

  for (const source of document.querySelectorAll('.source')) {
    source.querySelector('.chips').addEventListener('click', (event) => {
      const chip = event.target.closest('.chip');
      if (chip) show(source, chip.dataset.channel, true);
    });
    const channels = source.querySelector('.channels');
    channels.addEventListener('scrollend', () => {
      if (many || channels.scrollWidth <= channels.clientWidth) return;
      const nearest = [...source.querySelectorAll('.channel')].sort(
        (a, b) => Math.abs(a.offsetLeft - channels.scrollLeft) - Math.abs(b.offsetLeft - channels.scrollLeft),
      )[0];
      if (nearest) press(source, nearest.dataset.channel);
    });
    for (const channel of source.querySelectorAll('.channel')) wire(channel);
    for (const posts of source.querySelectorAll('.posts')) separate(posts);
    const first = source.querySelector('.chip');
    if (first) show(source, first.dataset.channel, false);
    void follow(source);
  }
  localise(document);

  /** Shows the post that the address names: #network/channel/message. */
  const showNamed = () => {
    const [platform, key, message] = decodeURIComponent(location.hash.slice(1)).split('/');
    for (const found of document.querySelectorAll('.post.found')) found.classList.remove('found');
    const source = [...document.querySelectorAll('.source')].find((one) => one.dataset.platform === platform);
    if (!source) return;
    if (many) source.scrollIntoView({ inline: 'start', block: 'nearest' });
    if (message === undefined) return show(source, key, true);
    const posts = [...source.querySelectorAll('.post')].filter((one) => one.dataset.message === message);
    const nameOf = (post) => post.closest('.channel').querySelector('header p').textContent;
    const post = posts.find((one) => [one.closest('.channel').dataset.channel, nameOf(one)].includes(key)) ?? posts.at(-1);
    if (!post) return;
    show(source, post.closest('.channel').dataset.channel, false);
    post.classList.add('found');
    post.scrollIntoView({ block: 'center' });
  };
  addEventListener('hashchange', showNamed);
  showNamed();

  document.addEventListener('click', async (event) => {
    for (const panel of document.querySelectorAll('.panel[open]'))
      if (!panel.contains(event.target)) panel.open = false;
    const button = event.target.closest('[data-trouble]');
    if (!button) return;
    const source = button.closest('.source');
    const bar = source.querySelector('.broken');
    const kind = button.dataset.trouble;
    const url = bar.dataset.url + '?' + new URLSearchParams({ key: document.body.dataset.key, kind });
    const answer = await fetch(url, { method: 'POST', cache: 'no-store' }).catch(() => null);
    source.querySelector('.break').open = false;
    bar.hidden = kind === '' && answer?.ok === true;
    bar.querySelector('b').textContent = answer?.ok ? (texts.troubles[kind]?.[0] ?? '') : texts.notChanged;
    if (bar.hidden) source.querySelector('.break summary').focus();
  });
  document.addEventListener('keydown', (event) => {
    const panel = event.key === 'Escape' && document.querySelector('.panel[open]');
    if (!panel) return;
    panel.open = false;
    panel.querySelector('summary').focus();
  });
  document.addEventListener('click', (event) => {
    const hidden = event.target.closest('.spoiler');
    if (hidden) hidden.classList.toggle('seen');
    const quote = event.target.closest('.expandable');
    if (quote && !event.target.closest('a')) quote.classList.toggle('open');
  });
})();
`;
