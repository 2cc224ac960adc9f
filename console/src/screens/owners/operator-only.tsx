import type { ReactNode } from 'react';
import { Card, PageHead } from '../../components/card.js';
import { Empty } from '../../components/states.js';
import { useScope } from '../../session/session.js';
import { ownersMessages as m } from './messages.js';

/** Shows its content to operators, and a note to owners that the screen is not for them. */
export const OperatorOnly = ({ children }: { readonly children: ReactNode }) => {
  const { isOperator } = useScope();
  if (isOperator) return children;
  return (
    <>
      <PageHead title={m.notOperator} />
      <Card label={m.notOperator}>
        <Empty icon="lock" title={m.notOperator}>
          {m.notOperatorText}
        </Empty>
      </Card>
    </>
  );
};
