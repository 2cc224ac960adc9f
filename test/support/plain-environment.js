import { createRequire } from 'node:module';
import vm from 'node:vm';

const requireAsJest = createRequire(createRequire(import.meta.url).resolve('jest'));
const { TestEnvironment } = requireAsJest('jest-environment-node');

/**
 * Jest's environment on a context whose global object is an ordinary one. Jest gives its context a proxy as the global
 * object, which makes every use of `Promise`, `Buffer` or `Date` some fifteen times as slow.
 */
export default class PlainEnvironment extends TestEnvironment {
  constructor(config, context) {
    const { createContext } = vm;
    vm.createContext = () => createContext(vm.constants.DONT_CONTEXTIFY);
    try {
      super(config, context);
    } finally {
      vm.createContext = createContext;
    }
  }
}
