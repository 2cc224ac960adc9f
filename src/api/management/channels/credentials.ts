import type { Credentials } from '../../../commands/channel/connect-channel.js';
import type { CredentialField, PlatformDescriptor } from '../../../platforms/descriptor.js';
import { idText, nullToAbsent } from '../../../validation/absence.js';
import { checkObject } from '../../../validation/check-fields.js';
import { Schema } from '../../../validation/json-schema.js';
import type { ProblemList } from '../../../validation/problem-list.js';
import { Must } from '../../../validation/rules.js';
import { fieldsReader } from '../../transport/fields.js';
import { type BodyField, createBodyClass } from '../body-class.js';

/** Creates the credentials class for a network: the fields that its descriptor declares, with their rules. */
export const createCredentialsBody = ({ credentials }: PlatformDescriptor) =>
  createBodyClass(credentials, credentialField);

const credentialField = (field: CredentialField): BodyField => {
  switch (field.kind) {
    case 'secret':
      return { read: nullToAbsent, rules: [Must.bePresent(field.example), Must.beCredential()] };
    case 'optional_secret':
      return { read: nullToAbsent, rules: [Must.beCredential()] };
    case 'address':
      return {
        read: idText,
        rules: [
          Must.bePresent(field.example),
          Must.match(field.form, field.inWords),
          // Numbers are accepted too.
          Schema.is(() => ({ type: ['string', 'integer'] })),
        ],
      };
  }
};

/** Creates the reader for a network's credentials: public address and secrets (management-api.md: credentials). */
export const credentialsReader = (
  platform: PlatformDescriptor,
): ((value: unknown, problems: ProblemList) => Credentials | undefined) => {
  const read = fieldsReader(createCredentialsBody(platform), 'credentials');
  const isAddress = (name: string): boolean => platform.credentials[name]?.kind === 'address';
  return (value, problems) => {
    if (!checkObject(value, 'credentials', problems)) return undefined;
    const sent = (Object.entries(read(value, problems)) as [string, string | undefined][]).filter(
      (field): field is [string, string] => field[1] !== undefined,
    );
    const secret = Object.fromEntries(sent.filter(([name]) => !isAddress(name)));
    const address = Object.fromEntries(sent.filter(([name]) => isAddress(name)));
    return { address: { ...address, ...platform.addressOf?.(secret) }, secret };
  };
};
