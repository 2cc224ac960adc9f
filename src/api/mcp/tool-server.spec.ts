import { createTools, nameTools } from './tool-server.js';

const DEFINITIONS = createTools(nameTools('service')).map(({ definition }) => definition);

describe.each(DEFINITIONS)('the schemas of $name', ({ inputSchema, outputSchema }) => {
  test('describe each argument', () => {
    for (const argument of Object.values(inputSchema.properties ?? {}))
      expect(argument).toHaveProperty('description', expect.any(String));
  });

  test('contain the parts that they name', () => {
    expect(JSON.stringify([inputSchema, outputSchema])).not.toMatch(/"(\$ref|x-class)"/);
  });

  test('list no values of a response, which a later version may extend', () => {
    expect(JSON.stringify(outputSchema)).not.toMatch(/"(enum|const)":/);
  });
});
