/** Browsers by a mark in their user agent. A browser comes before those whose marks it also sends. */
const BROWSERS = [
  ['YaBrowser/', 'Yandex Browser'],
  ['Edg', 'Edge'],
  ['OPR/', 'Opera'],
  ['SamsungBrowser/', 'Samsung Internet'],
  ['Firefox/', 'Firefox'],
  ['FxiOS/', 'Firefox'],
  ['CriOS/', 'Chrome'],
  ['Chrome/', 'Chrome'],
  ['Safari/', 'Safari'],
] as const;

const SYSTEMS = [
  ['Windows', 'Windows'],
  ['iPhone', 'iPhone'],
  ['iPad', 'iPad'],
  ['Android', 'Android'],
  ['CrOS', 'ChromeOS'],
  ['Mac OS X', 'macOS'],
  ['Linux', 'Linux'],
] as const;

const findName = (names: readonly (readonly [string, string])[], text: string): string | null =>
  names.find(([mark]) => text.includes(mark))?.[1] ?? null;

/** Returns the browser and the system that a user agent names; null where it names none that is known. */
export const readDevice = (userAgent: string | null) => ({
  browser: findName(BROWSERS, userAgent ?? ''),
  system: findName(SYSTEMS, userAgent ?? ''),
});
