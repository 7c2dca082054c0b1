/** What opening a thing costs: its stub, and the frame (and thinking that must stay) of messages nothing is kept of yet. */
import { type Material, MESSAGE_FRAME } from './material.ts';

export class Opening {
  readonly #material: Material;
  /** Open things of each message. */
  readonly #openIn: Uint32Array;
  /** Cost of each thing as it was at some version: a thing of many messages is asked for once for each of its hunks. */
  readonly #tokens: Float64Array;
  readonly #versions: Uint32Array;
  #version = 1;

  constructor(material: Material) {
    this.#material = material;
    this.#openIn = new Uint32Array(material.parts.length);
    this.#tokens = new Float64Array(material.things.length);
    this.#versions = new Uint32Array(material.things.length);
  }

  /** Tokens to open a thing that is not open. */
  tokensOf(thing: number): number {
    if (this.#versions[thing] === this.#version) return this.#tokens[thing]!;
    const { stubs, things, thinking, lastPrompt } = this.#material;
    let tokens = stubs[thing]!.tokens;
    for (const { message } of things[thing]!.places) {
      if (this.#openIn[message] === 0) tokens += MESSAGE_FRAME + (message > lastPrompt ? thinking[message]! : 0);
    }
    this.#tokens[thing] = tokens;
    this.#versions[thing] = this.#version;
    return tokens;
  }

  /** Notes that a thing was opened (1), or closed again (−1). */
  note(thing: number, change: 1 | -1): void {
    for (const { message } of this.#material.things[thing]!.places) {
      const before = this.#openIn[message]!;
      this.#openIn[message] = before + change;
      if (before === 0 || before + change === 0) this.#version += 1;
    }
  }
}
