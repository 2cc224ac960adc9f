import { Link } from '@tanstack/react-router';
import { composeMessages as m } from './messages.js';

/** Breadcrumbs above the editor of a planned post. */
export const EditTrail = ({ postId }: { readonly postId: string }) => (
  <>
    <Link className="link" to="/plan">
      {m.plan}
    </Link>
    <span aria-hidden="true">/</span>
    <Link className="link" to="/posts/$id" params={{ id: postId }}>
      {m.plannedPost}
    </Link>
    <span aria-hidden="true">/</span>
    <span>{m.editing}</span>
  </>
);
