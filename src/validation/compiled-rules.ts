import { getMetadataStorage, type ValidationArguments, type ValidatorConstraintInterface } from 'class-validator';

interface Rule {
  readonly property: string;
  readonly isPresence: boolean;
  readonly applies: ((object: object, value: unknown) => boolean) | undefined;
  /** Arguments for the validators; object and value are set for each check. */
  readonly args: ValidationArguments;
  readonly validators: readonly ValidatorConstraintInterface[];
}

const compiled = new WeakMap<object, readonly Rule[]>();

/**
 * Returns true if class-validator would accept an object (missing properties skipped). Collects the constraints once
 * per class, whereas class-validator collects them for every object, which costs more than the checks (ADR-19). If an
 * object fails, class-validator provides the messages.
 */
export const passesRules = (dto: object): boolean => {
  const values = dto as Readonly<Record<string, unknown>>;
  for (const { property, isPresence, applies, args, validators } of rulesOf(dto.constructor)) {
    const value = values[property];
    if (!isPresence && (value === undefined || value === null)) continue;
    if (applies && !applies(dto, value)) continue;
    args.object = dto;
    args.value = value;
    for (const validator of validators) if (validator.validate(value, args) !== true) return false;
  }
  return true;
};

const rulesOf = (target: object): readonly Rule[] => {
  const known = compiled.get(target);
  if (known) return known;
  const storage = getMetadataStorage();
  const metadata = storage.getTargetValidationMetadatas(target as never, '', false, false);
  const rules = metadata.map(({ name, propertyName, validateIf, constraints, constraintCls }) => ({
    property: propertyName,
    isPresence: name === 'isDefined',
    applies: validateIf as Rule['applies'],
    args: { targetName: '', property: propertyName, object: {}, value: undefined, constraints: constraints ?? [] },
    validators: storage.getTargetValidatorConstraints(constraintCls).map(({ instance }) => instance),
  }));
  compiled.set(target, rules);
  return rules;
};
