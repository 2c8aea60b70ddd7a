/** What the policy knows about programs. Tables only: what is not in them gets the stricter treatment. */

/** Options of a program that take the next word as their value. */
export interface Options {
  /** Single letters. */
  short?: string
  /** Long names without the dashes. */
  long?: string[]
}

/** Programs that run another program named in their arguments. */
export interface Wrapper extends Options {
  /** Words between the options and the command, such as the duration of `timeout`. */
  operands?: number
  /** NAME=value words may precede the command. */
  assignments?: boolean
  /** Arguments come from elsewhere as well, so not all of them can be seen. */
  hidesArguments?: boolean
  /** The wrapper itself matters: it gets a key beside the command's. */
  own?: boolean
  /** Any of these changes what is run in ways that are not followed. */
  opaque?: string[]
}

export const wrappers: ReadonlyMap<string, Wrapper> = new Map<string, Wrapper>([
  ['sudo', { short: 'CDghpRrtTUu', long: ['user', 'group', 'host', 'prompt', 'chroot', 'chdir', 'role', 'type', 'close-from', 'other-user', 'command-timeout'], assignments: true, own: true, opaque: ['-e', '--edit', '-s', '--shell', '-i', '--login'] }],
  ['doas', { short: 'Cu', assignments: true, own: true, opaque: ['-s'] }],
  ['env', { short: 'uC', long: ['unset', 'chdir'], assignments: true, opaque: ['-S', '--split-string'] }],
  ['nice', { short: 'n', long: ['adjustment'] }],
  ['ionice', { short: 'cnpPu', long: ['class', 'classdata', 'pid'] }],
  ['chrt', { operands: 1 }],
  ['taskset', { operands: 1 }],
  ['nohup', {}],
  ['setsid', {}],
  ['time', { short: 'fo', long: ['format', 'output'] }],
  ['timeout', { short: 'ks', long: ['kill-after', 'signal'], operands: 1 }],
  ['stdbuf', { short: 'ioe', long: ['input', 'output', 'error'] }],
  ['unbuffer', {}],
  ['chronic', {}],
  ['command', {}],
  ['builtin', {}],
  ['exec', { short: 'a' }],
  ['busybox', {}],
  ['toybox', {}],
  ['chroot', { long: ['userspec', 'groups'], operands: 1, own: true }],
  ['unshare', { short: 'SGRw', long: ['setuid', 'setgid', 'root', 'wd'] }],
  ['strace', { short: 'aebIoOpPsSuUX' }],
  ['xargs', { short: 'adEeILlnPs', long: ['arg-file', 'delimiter', 'max-args', 'max-lines', 'max-procs', 'max-chars', 'replace', 'process-slot-var'], hidesArguments: true }],
  ['parallel', { hidesArguments: true, own: true }],
  ['flock', { short: 'wE', long: ['timeout', 'conflict-exit-code'], operands: 1 }],
  ['watch', { short: 'n', long: ['interval'] }]
])

/** Shells: their -c text is read like the command itself. */
export const shells: ReadonlySet<string> = new Set(['sh', 'bash', 'dash', 'zsh', 'ksh', 'ash', 'fish', 'rbash', 'mksh'])

/** Interpreters: without a file they run what they are piped; with one of these options, what is on the command line. */
export const interpreters: ReadonlyMap<string, string[]> = new Map([
  ['python', ['-c']], ['node', ['-e', '--eval', '-p', '--print']], ['nodejs', ['-e', '--eval', '-p', '--print']],
  ['perl', ['-e', '-E']], ['ruby', ['-e']], ['php', ['-r']], ['lua', ['-e']], ['awk', []], ['gawk', []], ['mawk', []], ['osascript', ['-e']], ['tclsh', []], ['Rscript', ['-e']]
])

/** Interpreters whose first operand is their program, so that nothing on standard input is run. */
export const inlineByNature: ReadonlySet<string> = new Set(['awk', 'gawk', 'mawk'])

/** Programs whose first plain word says what they do; the options here take a value and may stand before it. */
export const subcommands: ReadonlyMap<string, Options> = new Map<string, Options>([
  ['git', { short: 'Cc', long: ['git-dir', 'work-tree', 'namespace', 'config-env', 'exec-path', 'super-prefix'] }],
  ['gh', { short: 'R', long: ['repo'] }],
  ['glab', { short: 'R', long: ['repo'] }],
  ['npm', { long: ['prefix', 'workspace', 'registry', 'loglevel', 'cache', 'userconfig'], short: 'wC' }],
  ['npx', { short: 'pw', long: ['package', 'workspace'] }],
  ['pnpm', { short: 'CF', long: ['dir', 'filter'] }],
  ['yarn', { long: ['cwd'] }],
  ['bunx', {}],
  ['bun', { long: ['cwd', 'config'] }],
  ['deno', {}],
  ['docker', { short: 'HlcD', long: ['host', 'context', 'config', 'log-level'] }],
  ['podman', { long: ['connection', 'root', 'runroot', 'log-level'] }],
  ['docker-compose', { short: 'fp', long: ['file', 'project-name', 'profile', 'env-file'] }],
  ['apt', { short: 'oct', long: ['option', 'config-file', 'target-release'] }],
  ['apt-get', { short: 'oct', long: ['option', 'config-file', 'target-release'] }],
  ['dnf', { short: 'c', long: ['config', 'installroot'] }],
  ['yum', { short: 'c', long: ['config', 'installroot'] }],
  ['apk', { short: 'pX', long: ['root', 'repository'] }],
  ['brew', {}],
  ['snap', {}],
  ['flatpak', {}],
  ['pip', { long: ['proxy', 'log', 'cache-dir', 'python'] }],
  ['pip3', { long: ['proxy', 'log', 'cache-dir', 'python'] }],
  ['pipx', {}],
  ['uv', { long: ['directory', 'project', 'cache-dir', 'config-file'] }],
  ['uvx', { long: ['from', 'with', 'python'] }],
  ['poetry', { short: 'CP', long: ['directory', 'project'] }],
  ['conda', {}],
  ['cargo', { long: ['config', 'color', 'manifest-path'], short: 'CZ' }],
  ['rustup', {}],
  ['go', { short: 'C' }],
  ['gem', {}],
  ['bundle', {}],
  ['composer', { short: 'd', long: ['working-dir'] }],
  ['dotnet', {}],
  ['mvn', { short: 'fPD' }],
  ['gradle', { short: 'pbP' }],
  ['systemctl', { short: 'HMtpn', long: ['host', 'machine', 'type', 'property', 'root'] }],
  ['service', {}],
  ['journalctl', {}],
  ['launchctl', {}],
  ['kubectl', { short: 'ns', long: ['namespace', 'context', 'cluster', 'kubeconfig', 'server', 'user', 'token'] }],
  ['helm', { short: 'n', long: ['namespace', 'kube-context', 'kubeconfig'] }],
  ['terraform', {}],
  ['ansible', {}],
  ['aws', { long: ['profile', 'region', 'endpoint-url', 'output'] }],
  ['gcloud', { long: ['project', 'account', 'configuration'] }],
  ['az', {}],
  ['crontab', { short: 'u' }],
  ['ip', { short: 'nf', long: ['netns', 'family'] }],
  ['nix', {}],
  ['openssl', {}]
])

/** Global options that make a subcommand tool run something else than its subcommand says. */
export const reroutingOptions: ReadonlyMap<string, string[]> = new Map([
  ['git', ['-c', '--config-env', '--exec-path']],
  ['cargo', ['--config']]
])

/** Programs that only look at the files they are given. Any other program may write to a path it is given. */
const readers = new Set(['cat', 'tac', 'nl', 'ls', 'dir', 'head', 'tail', 'grep', 'egrep', 'fgrep', 'zgrep', 'rg', 'ag', 'less', 'more', 'wc', 'file', 'stat', 'diff', 'cmp', 'comm',
  'cd', 'pushd', 'du', 'df', 'find', 'fd', 'tree', 'sort', 'uniq', 'cut', 'paste', 'sed', 'awk', 'gawk', 'mawk', 'test', '[', '[[', 'md5sum', 'sha1sum', 'sha256sum', 'sha512sum', 'cksum', 'b2sum',
  'od', 'xxd', 'hexdump', 'strings', 'readlink', 'realpath', 'jq', 'yq', 'base64', 'column', 'source', '.', 'zcat', 'bat', 'nm', 'ldd', 'size'])

/** Options that turn a reader into a writer. */
const writingOptions: ReadonlyMap<string, RegExp> = new Map([
  ['sed', /^(?:-[a-zA-Z]*i|--in-place)/],
  ['sort', /^(?:-[a-zA-Z]*o|--output)/],
  ['find', /^-(?:delete|fprint|fprintf|fls|fprint0|exec|execdir|ok|okdir)$/],
  ['tree', /^-o/],
  ['yq', /^(?:-[a-zA-Z]*i|--inplace)/],
  ['xxd', /^-r/]
])

/** Programs whose words are not files. */
export const wordsOnly: ReadonlySet<string> = new Set(['echo', 'printf', 'true', 'false', ':', 'basename', 'dirname', 'which', 'type', 'command', 'kill', 'sleep', 'seq', 'expr', 'date', 'uname',
  'whoami', 'id', 'hostname', 'export', 'set', 'unset', 'read', 'local', 'declare', 'return', 'exit', 'break', 'continue', 'shift', 'wait', 'test-path', 'tr', 'ps', 'pgrep', 'pkill', 'killall', 'eval', 'trap', 'alias', 'unalias', 'let', 'ssh', 'man', 'help'])

/** Words of the shell itself that do nothing worth a key of their own when something else is there. */
export const inert: ReadonlySet<string> = new Set(['cd', ':', 'true', 'false', 'test', '[', 'set', 'shift', 'return', 'break', 'continue', 'wait', 'exit', 'local', 'declare', 'typeset', 'readonly', 'export', 'unset', 'shopt'])

/** Programs that change or remove what they are given: an argument that cannot be seen makes the call opaque. */
export const changers: ReadonlySet<string> = new Set(['rm', 'rmdir', 'unlink', 'shred', 'mv', 'cp', 'ln', 'tee', 'dd', 'truncate', 'chmod', 'chown', 'chgrp', 'install', 'rsync', 'chattr', 'setfacl', 'kill', 'curl', 'wget'])

/** Programs a grant of which should not outlive the session: they can do anything, or undo nothing. */
export const sessionOnly: ReadonlySet<string> = new Set(['sudo', 'doas', 'su', 'rm', 'shred', 'dd', 'ssh', 'source', '.', 'chroot', 'parallel', 'crontab', 'at', 'batch', 'kill', 'killall', 'pkill'])

/** Environment variables that make harmless programs run other code. */
export const steeringVariable = /^(?:PATH|LD_.*|DYLD_.*|BASH_ENV|ENV|BASH_FUNC.*|IFS|PS4|PROMPT_COMMAND|SHELLOPTS|BASHOPTS|GIT_.*|.*PAGER|.*EDITOR|VISUAL|BROWSER|LESSOPEN|LESSCLOSE|NODE_OPTIONS|NODE_PATH|PYTHON(?:PATH|STARTUP|HOME|INSPECT)|PERL5?(?:OPT|LIB|5LIB)|RUBY(?:OPT|LIB)|JAVA_TOOL_OPTIONS|MAKEFLAGS|RUSTC_WRAPPER|CARGO_.*|npm_config_.*|GOFLAGS|CC|CXX)$/

/** Programs whose first operand is a pattern or a script, not a file, unless an option gives it. */
export const patternFirst: ReadonlySet<string> = new Set(['sed', 'grep', 'egrep', 'fgrep', 'zgrep', 'rg', 'ag', 'awk', 'gawk', 'mawk', 'jq', 'yq'])
export const givesPattern = /^(?:-[a-zA-Z]*[ef]|--(?:expression|file|files|regexp|from-file))/

/** Programs that fetch the addresses they are given. */
export const fetchers: ReadonlySet<string> = new Set(['curl', 'wget', 'http', 'https', 'xh', 'aria2c'])

/** True when `program` with these arguments only reads its files. */
export function onlyReads (program: string, args: readonly string[]): boolean {
  if (!readers.has(program)) return false
  const writing = writingOptions.get(program)
  return writing === undefined || !args.some((arg) => writing.test(arg))
}

const binFolder = /^(?:\/usr\/local|\/usr|\/opt\/homebrew|\/snap)?\/s?bin\/([^/]+)$/

/** The name a program goes by: without its folder when that is one of the system's. */
export function programName (word: string): string {
  const name = binFolder.exec(word)?.[1] ?? word
  return /^python[\d.]+$/.test(name) ? 'python' : name
}

/** Where the first word after the options stands in `args`. */
export function afterOptions (args: readonly string[], { short = '', long = [] }: Options): number {
  let index = 0
  for (let arg = args[0]; arg !== undefined && arg.length > 1 && arg.startsWith('-'); arg = args[index]) {
    if (arg === '--') return index + 1
    index += takesNext(arg, short, long) ? 2 : 1
  }
  return Math.min(index, args.length)
}

function takesNext (option: string, short: string, long: string[]): boolean {
  if (option.startsWith('--')) return long.includes(option.slice(2))
  const letters = option.slice(1)
  const valued = [...letters].findIndex((letter) => short.includes(letter))
  return valued !== -1 && valued === letters.length - 1
}
