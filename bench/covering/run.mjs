// What memories free in a budget and what they cost: measured beside the other figures of retention.
export { run } from '../retention/covering.mjs';
