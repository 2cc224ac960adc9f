import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Files of a certificate authority and of a server certificate that it signed, in PEM. */
export interface Certificates {
  /** Folder with only the authority's certificate. */
  readonly authorityFolder: string;
  readonly authority: string;
  readonly certificate: string;
  readonly key: string;
}

/**
 * Makes a certificate authority and a certificate for servers on 127.0.0.1 and `localhost`, using `openssl`.
 * @param commonName common name of the servers
 */
export const makeCertificates = async (folder: string, commonName: string): Promise<Certificates> => {
  const authorityFolder = join(folder, 'authority');
  await mkdir(authorityFolder);
  const authority = join(authorityFolder, 'ca.crt');
  const authorityKey = join(folder, 'ca.key');
  const [certificate, key, request, extensions] = ['node.crt', 'node.key', 'node.csr', 'node.ext'].map((name) =>
    join(folder, name),
  ) as [string, string, string, string];
  const openssl = (...args: string[]): Promise<unknown> => run('openssl', args);
  const newKey = ['-newkey', 'rsa:2048', '-nodes', '-keyout'];
  await openssl(
    'req',
    '-x509',
    ...newKey,
    authorityKey,
    '-out',
    authority,
    '-days',
    '2',
    '-subj',
    '/CN=Authority of a test',
  );
  await openssl('req', '-new', ...newKey, key, '-out', request, '-subj', `/CN=${commonName}`);
  const usage = 'keyUsage=digitalSignature,keyEncipherment\nextendedKeyUsage=serverAuth,clientAuth';
  await writeFile(extensions, `subjectAltName=IP:127.0.0.1,DNS:localhost\n${usage}\n`);
  const signed = ['x509', '-req', '-in', request, '-CA', authority, '-CAkey', authorityKey, '-CAcreateserial'];
  await openssl(...signed, '-out', certificate, '-days', '2', '-extfile', extensions);
  return { authorityFolder, authority, certificate, key };
};
