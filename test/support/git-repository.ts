import { execFileSync } from 'node:child_process'
import { appendFileSync, chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

interface Teardown { teardown (callback: () => unknown): unknown }

export interface TestRepository {
  root: string
  git (...args: string[]): string
  /** Like `git`, in another folder. */
  gitIn (folder: string, ...args: string[]): string
  /** Like `git`, with `input` on standard input. */
  gitWith (input: string, ...args: string[]): string
  write (name: string, text?: string | Buffer): void
  read (name: string): string
  has (name: string): boolean
  commitAll (message: string): string
}

/** Skips a test by name if git is missing, but never on CI. */
export const needsGit = hasGit() || process.env.CI === 'true' ? {} : { skip: 'git is not installed' }

function hasGit (): boolean {
  try {
    execFileSync('git', ['--version'])
    return true
  } catch {
    return false
  }
}

/** Creates a temporary folder, with a home of its own for the duration of the test, in which git knows the committer. */
export function gitScratch (t: Teardown, { identity = true }: { identity?: boolean } = {}): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'git-engine-')))
  const { HOME, XDG_CONFIG_HOME } = process.env
  const home = join(root, 'home')
  mkdirSync(home)
  if (identity) writeFileSync(join(home, '.gitconfig'), '[user]\n name = Ann\n email = ann@example.com\n')
  process.env.HOME = home
  delete process.env.XDG_CONFIG_HOME
  t.teardown(() => {
    process.env.HOME = HOME
    if (XDG_CONFIG_HOME !== undefined) process.env.XDG_CONFIG_HOME = XDG_CONFIG_HOME
    rmSync(root, { recursive: true, force: true, maxRetries: 5 })
  })
  return root
}

/**
 * Runs git in a folder, under a name of its own and without hooks. Returns its output without trailing white space. Throws if git fails.
 */
export const git = (folder: string, ...args: string[]): string => run(folder, args)

function run (folder: string, args: string[], input = ''): string {
  const settings = ['-c', 'user.name=Ann', '-c', 'user.email=ann@example.com', '-c', 'protocol.file.allow=always', '-c', 'core.hooksPath=/dev/null', '-c', 'core.fsmonitor=false', '-c', 'core.quotePath=false', '-c', 'init.defaultBranch=main']
  const output = execFileSync('git', [...settings, ...args], { cwd: folder, encoding: 'utf8', stdio: ['pipe', 'pipe', 'pipe'], input, env: { PATH: process.env.PATH, HOME: process.env.HOME } })
  return output.trimEnd()
}

/** Creates an empty repository with the branch main, at `root`. */
export function emptyRepository (root: string, ...options: string[]): TestRepository {
  mkdirSync(root, { recursive: true })
  run(root, ['init', '--quiet', '--initial-branch=main', ...options])
  const made: TestRepository = {
    root,
    git: (...args) => run(root, args),
    gitIn: git,
    gitWith: (input, ...args) => run(root, args, input),
    write: (name, text = `${name}\n`) => {
      mkdirSync(join(root, name, '..'), { recursive: true })
      writeFileSync(join(root, name), text)
    },
    read: (name) => readFileSync(join(root, name), 'utf8'),
    has: (name) => existsSync(join(root, name)),
    commitAll: (message) => {
      made.git('add', '--all')
      made.git('commit', '--quiet', '--allow-empty', '--message', message)
      return made.git('rev-parse', 'HEAD')
    }
  }
  return made
}

/** Creates a repository with one commit, of `a` and `dir/b`. */
export function smallRepository (t: Teardown, options?: { identity?: boolean }): TestRepository {
  const made = emptyRepository(join(gitScratch(t, options), 'repo'))
  made.write('a', 'one\ntwo\nthree\n')
  made.write('dir/b', 'b\n')
  made.commitAll('First')
  return made
}

/** Creates a program beside the repository, and a function that returns the traces of its calls. */
function tracingProgram ({ root }: TestRepository): { program: string, traces (): string } {
  const trace = join(root, '..', 'trace')
  const program = join(root, '..', 'program.sh')
  writeFileSync(program, `#!/bin/sh\necho "$0 $@" >> '${trace}'\ncat\n`)
  chmodSync(program, 0o755)
  return { program, traces: () => existsSync(trace) ? readFileSync(trace, 'utf8') : '' }
}

/** Writes settings to a repository inside of another one that name programs for every file, each of which leaves a trace when it runs. */
export function hostileInside (outer: TestRepository, gitDir: string): { traces (): string } {
  const { program, traces } = tracingProgram(outer)
  mkdirSync(join(gitDir, 'info'), { recursive: true })
  writeFileSync(join(gitDir, 'info', 'attributes'), '* filter=inner\n')
  appendFileSync(join(gitDir, 'config'), `[filter "inner"]\n process = ${program}\n clean = ${program}\n smudge = ${program}\n required = true\n[core]\n fsmonitor = ${program}\n`)
  return { traces }
}

/** Uses every way in which settings can name a program, each of which leaves a trace when it runs. */
export function hostileRepository (repository: TestRepository): { traces (): string } {
  const { root } = repository
  const { program, traces } = tracingProgram(repository)
  const hooks = join(root, '..', 'hooks')
  for (const folder of [hooks, join(root, '.git', 'hooks')]) {
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(folder, { recursive: true })
    for (const hook of [
      'applypatch-msg', 'pre-applypatch', 'post-applypatch', 'pre-commit', 'prepare-commit-msg', 'commit-msg', 'post-commit', 'pre-merge-commit', 'post-merge', 'pre-rebase',
      'post-checkout', 'post-rewrite', 'reference-transaction', 'post-index-change', 'fsmonitor-watchman', 'pre-auto-gc', 'sendemail-validate'
    ]) symlinkSync(program, join(folder, hook))
  }
  writeFileSync(join(root, '.git', 'more'), `[filter "later"]\n clean = ${program}\n smudge = ${program}\n required = true\n`)
  appendFileSync(join(root, '.git', 'config'), `
[core]
  fsmonitor = ${program}
  hooksPath = ${hooks}
  sshCommand = ${program}
  gitProxy = ${program}
  pager = ${program}
  editor = ${program}
  askPass = ${program}
  alternateRefsCommand = ${program}
[sequence]
  editor = ${program}
[pager]
  status = ${program}
  log = ${program}
  diff = ${program}
  branch = ${program}
[alias]
  status = !${program}
  stash = !${program}
  switch = !${program}
[filter "evil"]
  clean = ${program}
  smudge = ${program}
[filter "process"]
  process = ${program}
  required = true
[diff]
  external = ${program}
  orderFile = ${program}
[diff "evil"]
  command = ${program}
  textconv = ${program}
[merge "evil"]
  driver = ${program} %A
[merge]
  default = evil
[hook "evil"]
  event = pre-commit
  command = ${program}
[credential]
  helper = ${program}
[gpg]
  program = ${program}
[gpg "ssh"]
  program = ${program}
  defaultKeyCommand = ${program}
[commit]
  gpgSign = true
  template = ${program}
  verbose = true
[log]
  showSignature = true
[interactive]
  diffFilter = ${program}
[uploadpack]
  packObjectsHook = ${program}
[trailer "evil"]
  cmd = ${program}
  command = ${program}
[include]
  path = more
[submodule]
  recurse = true
[diff]
  submodule = diff
[status]
  submoduleSummary = true
`)
  mkdirSync(join(root, '.git', 'info'), { recursive: true })
  writeFileSync(join(root, '.git', 'info', 'attributes'), '*.diff diff=evil merge=evil\n*.evil filter=evil\n*.process filter=process\n*.later filter=later\n')
  return { traces }
}
