import { PageHead } from '../../components/card.js';

/** To be replaced. */
export const NewOutputScreen = () => <PageHead title="NewOutput" />;
