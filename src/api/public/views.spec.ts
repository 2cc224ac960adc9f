import { buildProblemView, HttpProblem } from '../transport/problem.view.js';
import { CanView } from './change.views.js';
import { InfoView } from './info.controller.js';
import { PausesView } from './pauses.controller.js';
import { PublishView } from './post.views.js';
import {
  NetworkPreviewView,
  PayloadWarningView,
  PreviewCallView,
  PreviewWarningView,
  SandboxMediumView,
  SandboxProblemView,
  SandboxValidationView,
  SandboxView,
} from './sandbox/sandbox.view.js';

const T = Date.UTC(2026, 2, 14, 12);

describe('the JSON of an answer', () => {
  it('of publishing has its fields in their order (D-9, D-10)', () => {
    expect(JSON.stringify(new PublishView({ postId: 'post_1', traceId: null, queuedTargets: 2 }))).toBe(
      '{"ok":true,"id":"post_1","trace_id":null,"queued_targets":2}',
    );
  });

  it('of pauses has its fields in their order (D-45)', () => {
    const result = { position: 1n, projectsAffected: 1, resourcesAffected: 2, rescheduled: 3 };
    expect(JSON.stringify(new PausesView('req_1', result))).toBe(
      '{"ok":true,"request_id":"req_1","projects_affected":1,"resources_affected":2,"rescheduled_post_targets":3}',
    );
  });

  it('of discovery has its fields in their order, and no expired pause', () => {
    const endpoint = { slug: 's', name: 'Site', verbose_discovery: false, requires_approval: false };
    const target = { channel_id: 'tgt_1', platform: 'telegram', name: 'News', paused_until: T } as const;
    const projects = [{ project_id: 'prj_1', name: 'Project', paused_until: T + 1, targets: [target] }];
    expect(JSON.stringify(new InfoView(endpoint, projects, T)).replace(/,"capabilities".*/, '')).toBe(
      '{"endpoint":{"slug":"s","name":null,"verbose":false},' +
        '"projects":[{"index":0,"name":null,"paused_until":"2026-03-14T12:00:00.001Z",' +
        '"targets":[{"id":"tgt_1","platform":"telegram","name":null,"paused_until":null}]}]',
    );
  });

  it('of the sandbox has its fields in their order, and no absent ones (D-38, D-44)', () => {
    const media = [new SandboxMediumView({ url: 'https://example.com/a.png' }, 1.5, true)];
    const calls = [new PreviewCallView('message', 'sendMessage', { text: 'Ahoy' }, 'tgt_1')];
    const can = new CanView({ withdraw: true, until: null, text: null }, { edit: [], text: null });
    const warnings = [new PreviewWarningView('a', 'b'), new PreviewWarningView('c', 'd', 'tgt_1')];
    const preview = { telegram: new NetworkPreviewView('Ahoy', 0, calls, warnings, can) };
    const validation = new SandboxValidationView('passed', 'passed', media);
    const mistakes = [new PayloadWarningView('unknown_field', 'txt', 'e')];
    expect(JSON.stringify(new SandboxView(true, validation, preview, mistakes, null))).toBe(
      '{"ok":true,"would_create_post":true,"validation":{"schema":"passed","entities":"passed",' +
        '"media":[{"url":"https://example.com/a.png","size_mb":1.5,"ok":true}]},"preview":{"telegram":' +
        '{"text_after_trim":"Ahoy","trimmed_chars":0,"requests":[{"step":"message","method":"sendMessage",' +
        '"request":{"text":"Ahoy"},"target_id":"tgt_1"}],"warnings":[{"code":"a","message":"b"},' +
        '{"code":"c","message":"d","target_id":"tgt_1"}],"can":{"withdraw":true,"withdraw_until":null,"edit":[],' +
        '"text":null}}},"warnings":[{"code":"unknown_field","path":"txt","message":"e"}]}',
    );
  });

  it('of a problem has its figures first, then the fields of D-6 in their order', () => {
    const problem = new HttpProblem(
      422,
      'c',
      [{ path: 'text', code: 'x', message: 'is wrong' }],
      {},
      { retry_at: 'now' },
    );
    const fields =
      '"ok":false,"errors":["text: is wrong"],"code":"c","request_id":"req_1",' +
      '"details":[{"path":"text","code":"x","message":"is wrong"}]';
    expect(JSON.stringify(buildProblemView(problem, 'req_1'))).toBe(`{"retry_at":"now",${fields}}`);
    const validation = new SandboxValidationView('failed', 'not_checked', []);
    expect(JSON.stringify(new SandboxProblemView(problem, 'req_1', validation, []))).toBe(
      `{${fields},"would_create_post":false,"validation":{"schema":"failed","entities":"not_checked","media":[]},"warnings":[]}`,
    );
  });
});
