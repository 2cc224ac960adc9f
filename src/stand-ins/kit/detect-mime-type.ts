/** Detects the MIME type from the first bytes; `application/octet-stream` for types that a post's media cannot have. */
export const detectMimeType = (bytes: Buffer): string => {
  const startsWith = (hex: string, at = 0): boolean => bytes.subarray(at, at + hex.length / 2).toString('hex') === hex;
  if (startsWith('ffd8ff')) return 'image/jpeg';
  if (startsWith('89504e470d0a1a0a')) return 'image/png';
  if (startsWith('47494638')) return 'image/gif';
  if (startsWith('52494646') && startsWith('57454250', 8)) return 'image/webp';
  if (startsWith('66747970', 4)) {
    const brand = bytes.toString('latin1', 8, 12);
    if (brand === 'qt  ') return 'video/quicktime';
    return /^M4[AB]/.test(brand) ? 'audio/mp4' : 'video/mp4';
  }
  if (startsWith('1a45dfa3')) return 'video/webm';
  if (startsWith('4f676753')) return 'audio/ogg';
  if (startsWith('494433') || (bytes[0] === 0xff && ((bytes[1] ?? 0) & 0xe0) === 0xe0)) return 'audio/mpeg';
  return 'application/octet-stream';
};
