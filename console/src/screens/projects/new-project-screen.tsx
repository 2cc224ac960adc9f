import { PageHead } from '../../components/card.js';

/** To be replaced. */
export const NewProjectScreen = () => <PageHead title="NewProject" />;
