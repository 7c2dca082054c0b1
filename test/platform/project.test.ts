import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { projectRoot } from '../../src/platform/project.ts';
import { makePipe } from './pipe.ts';

let dir: string;
beforeEach(() => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), 'chitta-project-')));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const at = (...parts: string[]): string => join(dir, ...parts);

function folder(...parts: string[]): string {
  mkdirSync(at(...parts), { recursive: true });
  return at(...parts);
}

function file(path: string, text: string): void {
  mkdirSync(dirname(at(path)), { recursive: true });
  writeFileSync(at(path), text);
}

function gitDir(path: string): void {
  file(join(path, 'HEAD'), 'ref: refs/heads/main\n');
  folder(path, 'objects');
  folder(path, 'refs');
}

/** A linked worktree as git lays it out. */
function worktree(commonDir: string, name: string, path: string): void {
  file(join(path, '.git'), `gitdir: ${at(commonDir, 'worktrees', name)}\n`);
  file(join(commonDir, 'worktrees', name, 'commondir'), '../..\n');
  file(join(commonDir, 'worktrees', name, 'gitdir'), `${at(path, '.git')}\n`);
  file(join(commonDir, 'worktrees', name, 'HEAD'), 'ref: refs/heads/x\n');
}

describe('a folder', () => {
  test('outside any repository stands for itself', () => {
    expect(projectRoot(folder('plain/inner'))).toBe(at('plain/inner'));
  });

  test('reached by a link is the folder itself', () => {
    folder('plain');
    symlinkSync(at('plain'), at('link'));
    expect(projectRoot(at('link'))).toBe(at('plain'));
  });

  test('that does not exist keeps its name', () => {
    expect(projectRoot(at('gone/away'))).toBe(at('gone/away'));
  });

  test('inside a repository stands for the whole of it', () => {
    gitDir('repo/.git');
    expect(projectRoot(folder('repo/src/deep'))).toBe(at('repo'));
    expect(projectRoot(at('repo/.git/refs'))).toBe(at('repo'));
  });

  test('with an empty .git folder is no repository', () => {
    gitDir('repo/.git');
    folder('repo/vendor/.git');
    expect(projectRoot(at('repo/vendor'))).toBe(at('repo'));
  });
});

describe('worktrees', () => {
  test('share the root of the repository they belong to', () => {
    gitDir('repo/.git');
    worktree('repo/.git', 'feature', 'elsewhere/feature');
    expect(projectRoot(folder('elsewhere/feature/src'))).toBe(at('repo'));
  });

  test('share it with relative paths and Windows line ends too', () => {
    gitDir('repo/.git');
    worktree('repo/.git', 'feature', 'feature');
    file('feature/.git', 'gitdir: ../repo/.git/worktrees/feature\r\n');
    file('repo/.git/worktrees/feature/gitdir', '../../../../feature/.git\r\n');
    expect(projectRoot(at('feature'))).toBe(at('repo'));
  });

  test('of a bare repository share that repository', () => {
    gitDir('repo.git');
    worktree('repo.git', 'main', 'main');
    expect(projectRoot(at('main'))).toBe(at('repo.git'));
    expect(projectRoot(at('repo.git/refs'))).toBe(at('repo.git'));
  });

  test('around a bare repository in a hidden folder share the folder around', () => {
    gitDir('repo/.bare');
    file('repo/.git', 'gitdir: ./.bare\n');
    worktree('repo/.bare', 'main', 'repo/main');
    expect(projectRoot(at('repo'))).toBe(at('repo'));
    expect(projectRoot(at('repo/main'))).toBe(at('repo'));
  });

  test('whose repository has moved away stand for themselves', () => {
    gitDir('repo/.git');
    worktree('repo/.git', 'feature', 'feature');
    renameSync(at('repo'), at('moved'));
    expect(projectRoot(at('feature'))).toBe(at('feature'));
  });
});

describe('a submodule', () => {
  beforeEach(() => {
    gitDir('super/.git');
    gitDir('super/.git/modules/sub');
    file('super/sub/.git', 'gitdir: ../.git/modules/sub\n');
    file(
      'super/.git/modules/sub/config',
      '[core]\n\tbare = false\n\tworktree = ../../../sub\n[other]\n\tworktree = /nowhere\n',
    );
  });

  test('is a project of its own', () => {
    expect(projectRoot(folder('super/sub/src'))).toBe(at('super/sub'));
    expect(projectRoot(at('super/.git/modules/sub/refs'))).toBe(at('super/sub'));
  });

  test('shares its root with its own worktrees', () => {
    worktree('super/.git/modules/sub', 'wt', 'wt');
    expect(projectRoot(at('wt'))).toBe(at('super/sub'));
  });
});

describe('a hostile checkout', () => {
  beforeEach(() => {
    gitDir('mine/.git');
    worktree('mine/.git', 'feature', 'feature');
  });

  test("cannot pass for a worktree of another project by naming that project's folder", () => {
    file('hostile/.git', `gitdir: ${at('mine/.git/worktrees/feature')}\n`);
    expect(projectRoot(at('hostile'))).toBe(at('hostile'));
  });

  test('cannot bring a worktree folder of its own that names another common directory', () => {
    file('hostile/.git', 'gitdir: ./fake/worktrees/x\n');
    file('hostile/fake/worktrees/x/commondir', at('mine/.git'));
    file('hostile/fake/worktrees/x/gitdir', at('hostile/.git'));
    expect(projectRoot(at('hostile'))).toBe(at('hostile'));
  });

  test('cannot name another working tree in the settings of a bare repository', () => {
    gitDir('hostile');
    file('hostile/config', `[core]\nworktree = ${at('mine')}\n`);
    expect(projectRoot(at('hostile'))).toBe(at('hostile'));
  });

  test.runIf(process.platform !== 'win32')('cannot make the search wait with a named pipe (needs named pipes)', () => {
    gitDir('hostile');
    makePipe(at('hostile/config'));
    expect(projectRoot(at('hostile'))).toBe(at('hostile'));
  });

  test('with a .git file full of rubbish stands for itself', () => {
    file('hostile/.git', `gitdir: ${'\0'.repeat(20)}\n`);
    expect(projectRoot(at('hostile'))).toBe(at('hostile'));
    file('hostile/.git', 'x'.repeat(100_000));
    expect(projectRoot(at('hostile'))).toBe(at('hostile'));
  });
});

test.runIf(process.platform !== 'win32' && process.getuid?.() !== 0)(
  'a folder that cannot be entered keeps its name (needs a user other than root)',
  () => {
    folder('closed/inner');
    chmodSync(at('closed'), 0);
    expect(projectRoot(at('closed/inner'))).toBe(at('closed/inner'));
    chmodSync(at('closed'), 0o700);
  },
);

function gitIsThere(): boolean {
  try {
    execFileSync('git', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

describe.runIf(gitIsThere())('what git itself makes (needs git)', () => {
  const git = (cwd: string, ...words: string[]): void => {
    const identity = ['-c', 'user.name=t', '-c', 'user.email=t@example.org', '-c', 'protocol.file.allow=always'];
    execFileSync('git', [...identity, ...words], {
      cwd,
      stdio: 'ignore',
      env: { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null' },
    });
  };
  const repository = (path: string): void => {
    git(folder(path), 'init');
    git(at(path), 'commit', '--allow-empty', '-m', 'first');
  };

  test('repository, worktree, submodule and the worktree of a submodule', () => {
    repository('repo');
    repository('library');
    git(at('repo'), 'submodule', 'add', at('library'), 'lib');
    git(at('repo'), 'worktree', 'add', at('feature'));
    git(at('repo/lib'), 'worktree', 'add', at('libfeature'));
    const roots = ['repo', 'feature', 'repo/lib', 'libfeature'].map((path) => projectRoot(at(path)));
    expect(roots).toEqual([at('repo'), at('repo'), at('repo/lib'), at('repo/lib')]);
  });

  test('bare repository and its worktrees, and a repository that stands apart', () => {
    repository('source');
    git(dir, 'clone', '--bare', at('source'), at('repo.git'));
    git(at('repo.git'), 'worktree', 'add', at('wt'));
    git(dir, 'init', '--separate-git-dir', at('apart.git'), at('apart'));
    expect(projectRoot(at('wt'))).toBe(at('repo.git'));
    expect(projectRoot(at('apart'))).toBe(at('apart'));
  });
});
