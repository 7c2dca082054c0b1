/** The environment as a value: read from the process once, at the edge, and handed down. */
export type Env = Readonly<Record<string, string | undefined>>;
