import { PageHead } from '../../components/card.js';

/** To be replaced. */
export const ProjectScreen = () => <PageHead title="Project" />;
