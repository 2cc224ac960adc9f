/** The type by the first bytes; `application/octet-stream` for what is none of a post's media. */
export const mimeOf = (bytes: Buffer): string => {
  const starts = (hex: string, at = 0): boolean => bytes.subarray(at, at + hex.length / 2).toString('hex') === hex;
  if (starts('ffd8ff')) return 'image/jpeg';
  if (starts('89504e470d0a1a0a')) return 'image/png';
  if (starts('47494638')) return 'image/gif';
  if (starts('52494646') && starts('57454250', 8)) return 'image/webp';
  if (starts('66747970', 4)) {
    const brand = bytes.toString('latin1', 8, 12);
    if (brand === 'qt  ') return 'video/quicktime';
    return /^M4[AB]/.test(brand) ? 'audio/mp4' : 'video/mp4';
  }
  if (starts('1a45dfa3')) return 'video/webm';
  if (starts('4f676753')) return 'audio/ogg';
  if (starts('494433') || (bytes[0] === 0xff && ((bytes[1] ?? 0) & 0xe0) === 0xe0)) return 'audio/mpeg';
  return 'application/octet-stream';
};
