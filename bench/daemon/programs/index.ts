/** What the benchmark itself uses. */
export { connect } from '../../../src/daemon/client.ts';
export { endpointOf } from '../../../src/daemon/places.ts';
export { preparedOf } from '../../../src/daemon/texts.ts';
export { openVectorCache } from '../../../src/embedding/cache.ts';
export { defaultModel } from '../../../src/embedding/model.ts';
export { openMemory } from '../../../src/memory/store.ts';
export { encodeFrame, Lines, MAX_REQUEST_BYTES } from '../../../src/protocol/frames.ts';
