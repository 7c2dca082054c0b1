/** Sees to it that the native packages are there: what is there already stays. */
import { ChittaError } from '../errors.ts';
import type { NativePart, NativeSetup } from '../ports/native-setup.ts';

export interface SetupPart {
  readonly name: string;
  readonly purpose: string;
  readonly state: 'present' | 'installed' | 'failed' | 'missing';
  /** Version, size, or what went wrong. */
  readonly detail: string;
}

export interface SetupResult {
  readonly ok: boolean;
  readonly folder: string;
  readonly parts: readonly SetupPart[];
}

function resultOf(folder: string, parts: readonly SetupPart[]): SetupResult {
  return { ok: parts.every(({ state }) => state === 'present' || state === 'installed'), folder, parts };
}

function plain({ name, purpose, ok, detail }: NativePart): SetupPart {
  return { name, purpose, state: ok ? 'present' : 'missing', detail };
}

/** What is there; changes nothing. */
export async function checkSetup(setup: NativeSetup): Promise<SetupResult> {
  return resultOf(setup.folder, (await setup.parts()).map(plain));
}

/** Installs what is missing, one after the other; one that fails does not keep the next from being tried. */
export async function runSetup(setup: NativeSetup, onStart: (part: NativePart) => void): Promise<SetupResult> {
  const done: SetupPart[] = [];
  for (const part of await setup.parts()) {
    if (part.ok) {
      done.push(plain(part));
      continue;
    }
    onStart(part);
    const { name, purpose } = part;
    try {
      const bytes = await setup.install(name);
      done.push({ name, purpose, state: 'installed', detail: `${Math.round(bytes / 1e6)} MB` });
    } catch (error) {
      const hint = error instanceof ChittaError && error.hint !== undefined ? `\ntry: ${error.hint}` : '';
      const reason = error instanceof Error ? error.message : String(error);
      done.push({ name, purpose, state: 'failed', detail: `${reason}${hint}` });
    }
  }
  return resultOf(setup.folder, done);
}
