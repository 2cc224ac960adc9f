import { createRequire } from 'node:module';
import vm from 'node:vm';

const requireAsJest = createRequire(createRequire(import.meta.url).resolve('jest'));
const { TestEnvironment } = requireAsJest('jest-environment-node');

/**
 * Jest's environment on a context whose global object is an ordinary one. Jest gives its context a proxy as the global
 * object, which every mention of `Promise`, `Buffer` or `Date` asks: some fifteen times the time of an ordinary one.
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
