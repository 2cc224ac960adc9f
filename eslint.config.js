import prettier from 'eslint-config-prettier';
import reactHooks from 'eslint-plugin-react-hooks';
import importSort from 'eslint-plugin-simple-import-sort';
import tseslint from 'typescript-eslint';
import noPackedSpread from './eslint-rules/no-packed-spread.js';
import plainWords from './eslint-rules/plain-words.js';

export default tseslint.config(
  { ignores: ['**/dist/**', '.builds/**', 'node_modules/**', 'coverage/**', '.data/**'] },
  ...tseslint.configs.recommendedTypeChecked,
  {
    languageOptions: {
      parserOptions: {
        projectService: { allowDefaultProject: ['*.js', '*.cjs', 'console/*.js'] },
        tsconfigRootDir: import.meta.dirname,
        jsDocParsingMode: 'none',
      },
    },
    rules: {
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/require-await': 'off', // an async signature is often the port's, not the body's
      eqeqeq: 'error',
      'max-lines': ['warn', { max: 300, skipBlankLines: true, skipComments: true }],
    },
  },
  { files: ['**/*.js', '**/*.cjs', '**/*.mjs'], ...tseslint.configs.disableTypeChecked },
  {
    plugins: { 'import-sort': importSort, spread: noPackedSpread },
    rules: {
      // One group without blank lines: side effects, Node's own modules, packages, files.
      'import-sort/imports': ['error', { groups: [['^\\u0000', '^node:', '^@?\\w', '^', '^\\.']] }],
      'object-shorthand': 'error',
      'spread/no-packed-spread': 'error',
    },
  },
  {
    ignores: ['eslint-rules/**'], // the list of words itself
    plugins: { local: plainWords },
    rules: { 'local/plain-words': 'error' },
  },
  {
    files: ['src/**/*.ts', 'stand-ins/**/*.ts'],
    ignores: ['src/config/**', 'src/main.ts', '**/*.spec.ts'],
    rules: {
      'no-restricted-properties': [
        'error',
        { object: 'process', property: 'env', message: 'src/config is the only reader of the environment.' },
      ],
    },
  },
  { files: ['console/src/**/*.{ts,tsx}'], ...reactHooks.configs.flat.recommended },
  { files: ['clients/typescript/src/schema.ts'], rules: { 'max-lines': 'off' } }, // generated
  // Tables of rules and of texts in two languages.
  { files: ['.dependency-cruiser.cjs', 'console/src/**/*messages.ts'], rules: { 'max-lines': 'off' } },
  {
    files: ['src/domain/**/*.ts', 'src/kernel/**/*.ts', 'src/payload/**/*.ts'],
    ignores: ['src/kernel/clock.ts', 'src/kernel/ids.ts', '**/*.spec.ts'],
    rules: {
      'no-restricted-syntax': [
        'error',
        {
          selector: "CallExpression[callee.object.name='Date'][callee.property.name='now']",
          message: 'Time arrives in the command.',
        },
        { selector: "NewExpression[callee.name='Date'][arguments.length=0]", message: 'Time arrives in the command.' },
      ],
    },
  },
  {
    files: ['test/**/*.ts', 'bench/**/*.ts', '{src,stand-ins}/**/*.spec.ts'],
    rules: {
      'max-lines': ['warn', { max: 400, skipBlankLines: true, skipComments: true }], // tables of cases are long
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
    },
  },
  prettier,
);
