/** Longest URL of a button or a link (networks.md §2, §5). */
const MAX_URL = 2_048;

/**
 * Converts a URL to one that MAX accepts: http(s) as it is, `tg://resolve?domain=x` as `https://t.me/x` (with the
 * post's number if there is one); null for any other `tg://`, another scheme, or more than 2048 characters.
 */
export const toMaxUrl = (url: string): string | null => {
  const web = /^tg:/i.test(url) ? publicPage(url) : url;
  return web !== null && /^https?:\/\/./i.test(web) && URL.canParse(web) && web.length <= MAX_URL ? web : null;
};

const publicPage = (url: string): string | null => {
  if (!/^tg:\/\/resolve\/?\?/i.test(url) || !URL.canParse(url)) return null;
  const { searchParams } = new URL(url);
  const domain = searchParams.get('domain') ?? '';
  const post = searchParams.get('post') ?? '';
  if (!/^\w{1,64}$/.test(domain)) return null;
  return `https://t.me/${domain}${/^\d{1,19}$/.test(post) ? `/${post}` : ''}`;
};
