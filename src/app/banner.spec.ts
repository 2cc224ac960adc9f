import type { Role } from '../config/settings.js';
import { describeServices } from './banner.js';

it.each<[Role[], boolean, string]>([
  [['api', 'worker', 'tools'], true, '/v1, /manage/v1, /sse, /walls, /healthz, /readyz, /metrics, publishes posts'],
  [['api'], false, '/v1, /manage/v1, /healthz, /readyz, /metrics'],
  [['worker', 'tools'], false, '/sse, /healthz, /readyz, /metrics, publishes posts'],
  [['tools'], false, '/sse, /healthz, /readyz, /metrics'],
])('a process with the roles %j (demo: %s) serves %s', (roles, demo, expected) => {
  expect(describeServices({ roles: new Set(roles), demo })).toBe(expected);
});
