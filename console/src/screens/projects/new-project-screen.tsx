import './projects.css';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { FieldProblems, management, missingProblem, problemText } from '../../api/management.js';
import { useChannels } from '../../api/things.js';
import { ChannelPicker } from '../../channels/channel-picker.js';
import { Button, ButtonLink } from '../../components/button.js';
import { Card, PageHead } from '../../components/card.js';
import { TextField } from '../../components/controls.js';
import { Form, FormEnd, useSave } from '../../components/form.js';
import { Trail } from '../../components/resource.js';
import { Empty, Loaded } from '../../components/states.js';
import { toast } from '../../components/toasts.js';
import { OwnerField, useNeedsOwner } from '../../session/owner-field.js';
import { useScope } from '../../session/session.js';
import { projectsMessages as m } from './messages.js';
import { refreshProjects } from './project-calls.js';

/** Creates a project: a name, and the channels that its posts go to. */
export const NewProjectScreen = () => {
  const navigate = useNavigate();
  const scope = useScope();
  const needsOwner = useNeedsOwner();
  const channels = useChannels();
  const [name, setName] = useState('');
  const [ownerId, setOwnerId] = useState('');
  const [isOwnerMissing, setIsOwnerMissing] = useState(false);
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const owner = needsOwner ? ownerId : scope.ownerId;
  const { save, isBusy, problems } = useSave(async () => {
    setIsOwnerMissing(needsOwner && ownerId === '');
    if (name.trim() === '') throw new FieldProblems(missingProblem('name'));
    if (needsOwner && ownerId === '') return;
    const project = await management().post('/projects', {
      body: {
        name: name.trim(),
        channel_ids: chosen,
        ...(scope.isOperator && owner !== null && { owner_id: owner }),
      },
    });
    await refreshProjects();
    toast(m.created(project.name));
    await navigate({ to: '/projects/$id', params: { id: project.id } });
  });
  const wrongChannels = Object.values(problems).find(({ path }) => path.startsWith('channel_ids'));
  return (
    <>
      <PageHead trail={<Trail to="/projects" list={m.projects} here={m.new} />} title={m.newTitle}>
        {m.newText}
      </PageHead>
      <div className="new-project">
        <Card title={m.newLabel}>
          <Form className="form-fields" onSubmit={save}>
            <OwnerField value={ownerId} onChange={(id) => (setOwnerId(id), setChosen([]))} isMissing={isOwnerMissing} />
            <TextField
              label={m.name}
              hint={m.nameHint}
              missing={m.required}
              problem={problems.name}
              value={name}
              onChange={setName}
            />
            <Loaded query={channels}>
              {(all) => {
                const own = all.filter(({ owner_id: id }) => owner === null || id === owner);
                return own.length === 0 ? (
                  <Empty
                    icon="channel"
                    title={m.noChannelYet}
                    action={<ButtonLink to="/channels/new">{m.connect}</ButtonLink>}
                  />
                ) : (
                  <ChannelPicker label={m.chooseChannels} channels={own} chosen={chosen} onChange={setChosen} />
                );
              }}
            </Loaded>
            {wrongChannels && (
              <p className="tone-fail" role="alert">
                {problemText(wrongChannels)}
              </p>
            )}
            <FormEnd text={m.chosen(chosen.length)}>
              <Button type="submit" look="primary" busy={isBusy}>
                {m.create}
              </Button>
            </FormEnd>
          </Form>
        </Card>
      </div>
    </>
  );
};
