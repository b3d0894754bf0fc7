import { createFilePlace } from './file-place';
import { describeStore } from './store-contract';

describeStore('the file store', async () => createFilePlace());
