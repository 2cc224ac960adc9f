import './processing.css';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { management, readProblems } from '../../../api/management.js';
import { Button } from '../../../components/button.js';
import { Card, Columns } from '../../../components/card.js';
import { Changeable, Form, FormEnd, useSave } from '../../../components/form.js';
import { toast } from '../../../components/toasts.js';
import { useScope } from '../../../session/session.js';
import { changeProject, type Project } from '../project-calls.js';
import { type Formatted, type ProcessingDraft, toBody, toDraft, toDraftProblems } from './draft.js';
import { processingMessages as m } from './messages.js';
import { PreviewCard, usePreview } from './preview-card.js';
import { FiltersSection, FooterSection, ReplacementsSection } from './sections.js';
import { SignatureSection, TranslationSection } from './text-sections.js';

/** Returns the text of a project's latest post; undefined while it is loading, null if there is none. */
const useLatestText = (projectId: string): Formatted | null | undefined => {
  const scope = useScope();
  const latest = useQuery({
    queryKey: ['posts', scope.key, 'latest-of-project', projectId],
    queryFn: () => management().get('/posts', { query: { project_id: projectId, limit: 1 } }),
    staleTime: 60_000,
  }).data;
  const id = latest?.items[0]?.id;
  const post = useQuery({
    queryKey: ['post', id],
    queryFn: () => management().get('/posts/{id}', { path: { id: id ?? '' } }),
    enabled: id !== undefined,
  }).data;
  if (latest && id === undefined) return null;
  if (!post) return undefined;
  const { text, entities } = post.payload ?? {};
  return text === undefined ? null : { text, entities: entities ?? [] };
};

/** Forms for a project's processing settings, with a before-and-after preview. */
export const ProcessingCard = ({ project }: { readonly project: Project }) => {
  const { id, processing } = project;
  const saved = useMemo(() => toDraft(processing), [processing]);
  const [edited, setEdited] = useState<ProcessingDraft | null>(null);
  const draft = edited ?? saved;
  const body = toBody(draft);
  const {
    save,
    isBusy,
    problems: rejected,
    clear,
  } = useSave(async () => {
    await changeProject(id, { processing: body });
    setEdited(null);
    toast(m.saved);
  });
  const change = (part: Partial<ProcessingDraft>): void => {
    setEdited({ ...draft, ...part });
    clear();
  };
  const isChanged = edited !== null && JSON.stringify(body) !== JSON.stringify(toBody(saved));

  const latest = useLatestText(id);
  const [written, setWritten] = useState<Formatted | null>(null);
  const sample = written ?? latest ?? { text: latest === null ? m.sampleText : '', entities: [] };
  const preview = usePreview(project, sample, body);
  const found = readProblems(preview.error);
  const problems = toDraftProblems({ ...found, ...rejected }, draft);

  return (
    <Columns first="1.2fr">
      <Card title={m.title} aside={m.order}>
        <Form className="processing-form" onSubmit={save}>
          <Changeable needs="PATCH /projects/{id}">
            <FiltersSection filters={draft.filters} onChange={(filters) => change({ filters })} problems={problems} />
            <FooterSection footer={draft.footer} onChange={(footer) => change({ footer })} problems={problems} />
            <ReplacementsSection
              replacements={draft.replacements}
              onChange={(replacements) => change({ replacements })}
              problems={problems}
            />
            <TranslationSection
              translation={draft.translation}
              onChange={(translation) => change({ translation })}
              problems={problems}
              isStored={processing.translation !== undefined}
            />
            <SignatureSection
              signature={draft.signature}
              onChange={(signature) => change({ signature })}
              problems={problems}
            />
          </Changeable>
          <FormEnd
            text={
              problems[''] ? (
                <span className="tone-fail">{problems[''].message}</span>
              ) : isChanged ? (
                m.notSaved
              ) : (
                m.appliesToNew
              )
            }
          >
            {isChanged && <Button onClick={() => setEdited(null)}>{m.undo}</Button>}
            <Button
              needs="PATCH /projects/{id}"
              type="submit"
              look={isChanged ? 'primary' : 'plain'}
              disabled={!isChanged}
              busy={isBusy}
            >
              {m.save}
            </Button>
          </FormEnd>
        </Form>
      </Card>
      <PreviewCard
        sample={sample}
        onSample={setWritten}
        onReset={written ? () => setWritten(null) : undefined}
        preview={preview.data}
        error={found ? null : preview.error}
        isStale={preview.isStale || found !== null}
      />
    </Columns>
  );
};
