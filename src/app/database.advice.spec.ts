import { adviseOnRefusal } from './database.js';

const refused = { code: '42501', message: 'permission denied for database "my shop"' };

it.each([
  ['postgres://me:secret@h/my%20shop', 'GRANT CONNECT ON DATABASE "my shop" TO me;'],
  ['postgres://m%22e@h/my%20shop', 'GRANT CONNECT ON DATABASE "my shop" TO "m""e";'],
  ['postgres:///shop', 'GRANT CONNECT ON DATABASE "my shop" TO <the role>;'],
])('a role that may not connect gets the statement to copy: %s (D-54)', (url, statement) => {
  const advice = adviseOnRefusal(refused, url)!;
  expect(advice.split('\n').map((line) => line.trim())).toEqual([
    'As the owner of the database or a superuser, run:',
    statement,
  ]);
});
