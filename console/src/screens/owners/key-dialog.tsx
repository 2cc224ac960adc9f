import { Dialog } from '../../components/dialog.js';
import { SecretsOnce } from '../../components/secrets.js';
import { ownersMessages as m } from './messages.js';

/** Shows an owner's new key, once. */
export const KeyDialog = ({ value, onClose }: { readonly value: string; readonly onClose: () => void }) => (
  <Dialog title={m.keyTitle} isOpen isLocked onClose={onClose} className="wide">
    <SecretsOnce secrets={[{ label: m.keyLabel, value, variable: 'CROSSPOST_KEY', isSecret: true }]} onDone={onClose} />
  </Dialog>
);
