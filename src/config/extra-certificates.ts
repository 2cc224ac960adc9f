import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { reasonOf } from '../kernel/result.js';
import { SETTING_MESSAGES } from './messages.js';

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/**
 * Reads the certificates of authorities to trust in addition to Node's own.
 * @param path a PEM file
 * @throws Error with a human-readable message if the file has no certificate, or one that cannot be read
 */
export const readExtraCertificates = (path: string): readonly string[] => {
  const found = readText(path).match(CERTIFICATE) ?? [];
  if (found.length === 0) throw new Error(SETTING_MESSAGES.noCertificate({ path }));
  for (const [index, text] of found.entries())
    try {
      new X509Certificate(text);
    } catch (error) {
      throw new Error(SETTING_MESSAGES.badCertificate({ number: index + 1, path, reason: reasonOf(error) }), {
        cause: error,
      });
    }
  return found;
};

const readText = (path: string): string => {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new Error(SETTING_MESSAGES.certificatesNotRead({ path, reason: reasonOf(error) }), { cause: error });
  }
};
