import { generateKeyPairSync, sign, X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';

/** A key and a self-signed certificate, PEM. */
export interface SelfSigned {
  readonly key: string;
  readonly cert: string;
}

/** A server certificate for host names and IPv4 addresses, valid for a day around now, or expired since yesterday. */
export const selfSigned = (hosts: readonly string[], { expired = false } = {}): SelfSigned => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const DAY = 86_400_000;
  const end = Date.now() + (expired ? -DAY : DAY);
  const name = der(0x30, der(0x31, der(0x30, oid(2, 5, 4, 3), der(0x0c, Buffer.from('test host')))));
  const ecdsaWithSha256 = der(0x30, oid(1, 2, 840, 10045, 4, 3, 2));
  const altNames = hosts.map((host) =>
    isIP(host) ? der(0x87, Buffer.from(host.split('.').map(Number))) : der(0x82, Buffer.from(host)),
  );
  const body = der(
    0x30,
    der(0xa0, der(0x02, Buffer.from([2]))), // version 3
    der(0x02, Buffer.from([1])), // serial number
    ecdsaWithSha256,
    name,
    der(0x30, time(end - 2 * DAY), time(end)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, der(0x30, der(0x30, oid(2, 5, 29, 17), der(0x04, der(0x30, ...altNames))))),
  );
  const signature = sign('sha256', body, privateKey);
  const certificate = der(0x30, body, ecdsaWithSha256, der(0x03, Buffer.from([0]), signature));
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: new X509Certificate(certificate).toString(),
  };
};

/** Encodes an ASN.1 element: tag, length, content. */
const der = (tag: number, ...content: Buffer[]): Buffer => {
  const body = Buffer.concat(content);
  const length = body.length < 128 ? [body.length] : [0x82, body.length >> 8, body.length & 255];
  return Buffer.concat([Buffer.from([tag, ...length]), body]);
};

const oid = (first: number, second: number, ...rest: number[]): Buffer =>
  der(0x06, Buffer.from([first * 40 + second, ...rest.flatMap((number) => base128(number))]));

const base128 = (number: number): number[] =>
  number < 128 ? [number] : [...base128(number >> 7).map((digit) => digit | 128), number & 127];

const time = (at: number): Buffer =>
  der(0x17, Buffer.from(`${new Date(at).toISOString().replace(/\D/g, '').slice(2, 14)}Z`));
