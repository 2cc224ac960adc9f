import './resource.css';
import { Link, type LinkProps } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Api } from '../api/management.js';
import { useProjects } from '../api/things.js';
import { ButtonLink } from './button.js';
import { Card, PageHead } from './card.js';
import { type Secret, SecretsOnce } from './code.js';
import { Icon } from './icon.js';
import { Empty, Loaded } from './states.js';

interface TrailProps {
  readonly to: LinkProps['to'];
  /** What the parent screen lists. */
  readonly list: string;
  /** What this screen shows. */
  readonly here?: ReactNode;
}

/** The link to the list that a thing is in, and the thing. */
export const Trail = ({ to, list, here }: TrailProps) => (
  <>
    <Link className="link" to={to}>
      {list}
    </Link>
    {here !== undefined && <span aria-hidden="true">/</span>}
    {here !== undefined && <bdi className="cut">{here}</bdi>}
  </>
);

interface ResourcePageProps extends TrailProps {
  readonly title: string;
  readonly actions: ReactNode;
  readonly summary: ReactNode;
  /** Why it is off; null while it is on. */
  readonly offBecause?: string | null;
  /** What to do about that. */
  readonly remedies?: ReactNode;
  /** Dialogs and columns. */
  readonly children: ReactNode;
}

/** The screen of one endpoint, webhook or owner: how it is, what can be done, and its settings. */
export const ResourcePage = ({
  title,
  actions,
  summary,
  offBecause,
  remedies,
  children,
  ...trail
}: ResourcePageProps) => (
  <>
    <PageHead trail={<Trail {...trail} />} title={<bdi>{title}</bdi>} actions={actions}>
      {summary}
    </PageHead>
    {typeof offBecause === 'string' && (
      <div className="off-banner">
        <Icon name="switchedOff" tone="warn" size={20} />
        <p>{offBecause}</p>
        <div className="row">{remedies}</div>
      </div>
    )}
    {children}
  </>
);

interface NewResourceProps extends Omit<TrailProps, 'here'> {
  readonly texts: {
    readonly newTitle: string;
    readonly newText: string;
    readonly noProjects: string;
    readonly createProject: string;
    readonly saveTitle: string;
  };
  /** What was created, with the secrets that are shown once; null before that. */
  readonly created: { readonly title: ReactNode; readonly secrets: readonly Secret[] } | null;
  readonly doneLabel: string;
  readonly onDone: () => void;
  /** The form, for an owner who has projects. */
  readonly children: (projects: readonly Api<'Project'>[]) => ReactNode;
}

/** The screen that creates an endpoint or a webhook, and then shows its secrets once. */
export const NewResourcePage = ({ texts, created, doneLabel, onDone, children, ...trail }: NewResourceProps) => {
  const projects = useProjects();
  return (
    <>
      <PageHead trail={<Trail {...trail} />} title={created?.title ?? texts.newTitle}>
        {!created && texts.newText}
      </PageHead>
      {created ? (
        <Card title={texts.saveTitle} className="narrow-card">
          <div className="card-body">
            <SecretsOnce secrets={created.secrets} doneLabel={doneLabel} onDone={onDone} />
          </div>
        </Card>
      ) : (
        <Loaded query={projects}>
          {(all) =>
            all.length === 0 ? (
              <Card label={texts.newTitle}>
                <Empty
                  icon="project"
                  title={texts.noProjects}
                  action={
                    <ButtonLink look="primary" to="/projects/new">
                      {texts.createProject}
                    </ButtonLink>
                  }
                />
              </Card>
            ) : (
              children(all)
            )
          }
        </Loaded>
      )}
    </>
  );
};
