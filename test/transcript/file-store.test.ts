import { expectAllUnderLoad } from './contract/under-load';
import { createFilePlace } from './file-place';
import { describeStore } from './store-contract';

describeStore('the file store', async () => createFilePlace());

test('under load, everything is written once and followed in order', async () => {
  const place = createFilePlace();

  await expectAllUnderLoad(place);

  await place.dispose();
});
