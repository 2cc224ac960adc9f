/** Chromium for tests of pages. Without it, the tests that need it are reported as skipped. */
export const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium';

/** No background traffic, and no sandbox, which root cannot use. */
export const CHROMIUM_ARGUMENTS = [
  ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'],
  ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
];
