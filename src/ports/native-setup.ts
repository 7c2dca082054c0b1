/** The native packages, as those who install them see them. */

export interface NativePart {
  readonly name: string;
  /** What it is good for. */
  readonly purpose: string;
  /** Size on disk, roughly, if it is to be installed. */
  readonly megabytes: number;
  readonly ok: boolean;
  /** Its version, or what is wrong. */
  readonly detail: string;
}

export interface NativeSetup {
  /** Where they are installed. */
  readonly folder: string;
  parts(): Promise<readonly NativePart[]>;
  /** Installs one; answers its size in bytes. Rejects with E_SETUP. */
  install(name: string): Promise<number>;
}
