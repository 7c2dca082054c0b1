/** What a transcript holds of a context that a host hands over without it. */
export interface Withheld {
  /** How many images and documents each message of the user holds, by uuid. */
  readonly media: ReadonlyMap<string, number>;
  /** Whether any answer holds thinking. */
  readonly thinks: boolean;
  /** The model that answered last. */
  readonly model: string | undefined;
}
