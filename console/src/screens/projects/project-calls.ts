import { type Api, management, queryClient } from '../../api/management.js';
import { deleteUsed } from '../../api/things.js';

/** A project, as returned by the API. */
export type Project = Api<'Project'>;

const SHOWN_BY = ['overview', 'projects', 'project', 'endpoints', 'endpoint', 'outputs', 'posts'];

/** Invalidates all queries that show projects, after a project has changed. */
export const refreshProjects = (): Promise<void> =>
  queryClient.invalidateQueries({ predicate: ({ queryKey: [first] }) => SHOWN_BY.includes(String(first)) });

/** Changes a project. */
export const changeProject = async (id: string, change: Api<'ProjectPatchRequest'>): Promise<Project> => {
  const project = await management().patch('/projects/{id}', { path: { id }, body: change });
  await refreshProjects();
  return project;
};

/**
 * Deletes a project. `cascade` also removes the project from its endpoints; without it, the gateway refuses to delete a
 * project that an endpoint uses.
 */
export const deleteProject = (id: string, cascade: boolean): Promise<void> =>
  deleteUsed(
    'endpoints',
    management().delete('/projects/{id}', { path: { id }, ...(cascade && { query: { cascade: 'true' } }) }),
  );

/**
 * Removes a deleted project from the cache and refreshes the lists that showed it. Leave the project's own screen
 * first.
 */
export const forgetProject = async (id: string): Promise<void> => {
  queryClient.removeQueries({ queryKey: ['project', id] });
  await refreshProjects();
};
