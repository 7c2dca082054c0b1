/** What the benchmark itself uses. */
export { connect } from '../../../src/daemon/client.ts';
export { endpointOf } from '../../../src/daemon/places.ts';
export { defaultModel } from '../../../src/embedding/model.ts';
export { encodeFrame, Lines, MAX_REQUEST_BYTES } from '../../../src/protocol/frames.ts';
