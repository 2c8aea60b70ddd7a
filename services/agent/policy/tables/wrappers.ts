import { type Options } from './options.js'
import { Spelling } from './spelling.js'

/** Programs that run another program named in their arguments. */
export interface Wrapper extends Options {
  /** Words between the options and the command, such as the duration of `timeout`. */
  operands?: number
  /** Pattern of such a word: a word that does not match it may be the command. */
  operand?: RegExp
  /** NAME=value words may precede the command. */
  assignments?: boolean
  /** Some arguments come from elsewhere, so not all of them are visible. */
  hidesArguments?: boolean
  /** The wrapper itself matters: it gets a key besides the command's. */
  own?: boolean
  /** The command's words are joined and passed to a shell. */
  joins?: boolean
  /** These options change the command in ways that are not followed. */
  opaque?: RegExp
  /** This option's value is a command line. */
  text?: RegExp
  /** This option's value is the folder in which the command starts. */
  folder?: RegExp
}

export const wrappers: ReadonlyMap<string, Wrapper> = new Map<string, Wrapper>([
  ['sudo', {
    short: 'CDghpRrtTUu',
    long: ['user', 'group', 'host', 'prompt', 'chroot', 'chdir', 'role', 'type', 'close-from', 'other-user', 'command-timeout'],
    assignments: true, own: true, opaque: /^(?:-[a-zA-Z]*[esiR]|--(?:edit|shell|login|chroot))/, folder: /^(?:-D|--chdir)/
  }],
  ['doas', { short: 'Cu', assignments: true, own: true, opaque: /^-[a-zA-Z]*s/ }],
  ['run0', { short: 'ugD', long: ['user', 'group', 'chdir', 'unit', 'property', 'setenv'], own: true, folder: /^(?:-D|--chdir)/ }],
  ['pkexec', { long: ['user'], own: true }],
  ['runuser', { short: 'ugGsw', long: ['user', 'group', 'supp-group', 'shell'], own: true, text: /^(?:-[a-z]*c|--command)/ }],
  ['gosu', { operands: 1, own: true }],
  ['su-exec', { operands: 1, own: true }],
  ['setpriv', { long: ['reuid', 'regid', 'groups', 'inh-caps', 'bounding-set', 'ambient-caps', 'securebits'], own: true }],
  ['nsenter', { short: 'tSG', long: ['target', 'setuid', 'setgid'], own: true, opaque: /^(?:-[a-zA-Z]*[rw]|--(?:root|wd))/ }],
  ['systemd-run', {
    short: 'pHMtu',
    long: ['property', 'unit', 'slice', 'description', 'uid', 'gid', 'on-calendar', 'on-active', 'working-directory', 'setenv'], own: true,
    folder: /^--working-directory/
  }],
  ['env', { short: 'uC', long: ['unset', 'chdir'], assignments: true, folder: /^(?:-C|--chdir)/ }],
  ['cross-env', { assignments: true }],
  ['nice', { short: 'n', long: ['adjustment'] }],
  ['ionice', { short: 'cnpPu', long: ['class', 'classdata', 'pid'] }],
  ['chrt', { operands: 1, operand: /^\d+$/ }],
  ['taskset', { operands: 1 }],
  ['setarch', {
    operands: 1, operand: /^(?:linux(?:32|64)|uname26|i[3-6]86|x86_64|aarch64|arm\w*|ppc\w*|s390x?|mips\w*|sparc\w*|riscv\w*)$/
  }],
  ['prlimit', {}],
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
  ['eatmydata', {}],
  ['ccache', {}],
  ['sccache', {}],
  ['distcc', {}],
  ['memusage', {}],
  ['ifne', {}],
  ['tini', {}],
  ['dumb-init', {}],
  ['linux32', {}],
  ['linux64', {}],
  ['i386', {}],
  ['choom', { short: 'np', long: ['adjust', 'pid'] }],
  ['logsave', { operands: 1, own: true }],
  ['cgexec', { short: 'g' }],
  ['systemd-inhibit', { long: ['what', 'who', 'why', 'mode'] }],
  ['cross-env-shell', { assignments: true, joins: true }],
  ['sshpass', { short: 'pfdP', own: true }],
  ['fakeroot', { short: 'lsib', opaque: /^-[a-z]*l/ }],
  ['rlwrap', {}],
  ['xvfb-run', { short: 'efnpsw' }],
  ['dbus-run-session', {}],
  ['valgrind', { opaque: /^--tool=.*\// }],
  ['ltrace', { short: 'aeFlnopsuxX', opaque: /^(?:-[a-zA-Z]*o|--output=)?\s*[|!]/ }],
  ['strace', { short: 'aebIoOpPsSuUX', opaque: /^(?:-[a-zA-Z]*o|--output=)?\s*[|!]/ }],
  ['chroot', { long: ['userspec', 'groups'], operands: 1, own: true }],
  ['unshare', { short: 'SGRw', long: ['setuid', 'setgid', 'root', 'wd'], opaque: /^(?:-[a-zA-Z]*R|--root)/, folder: /^(?:-w|--wd)/ }],
  ['ssh-agent', { short: 'aEOPt' }],
  ['ld.so', { long: ['library-path', 'preload', 'audit', 'argv0', 'inhibit-rpath'], own: true, opaque: /^--(?:lib|pre|aud)/ }],
  ['proxychains', { short: 'f', own: true }],
  ['proxychains4', { short: 'f', own: true }],
  ['torsocks', { own: true }],
  ['xargs', {
    short: 'adEILnPs', long: ['arg-file', 'delimiter', 'max-args', 'max-procs', 'max-chars', 'process-slot-var'], hidesArguments: true,
    // The option sets a variable of any name.
    opaque: /^--pro/
  }],
  ['parallel', {
    short: 'jSaNnLI', long: ['jobs', 'arg-file', 'joblog', 'results', 'tmpdir', 'workdir'], hidesArguments: true, own: true, joins: true
  }],
  ['entr', { hidesArguments: true, text: /^-[a-z]*s/ }],
  ['flock', { short: 'wEc', long: ['timeout', 'conflict-exit-code', 'command'], operands: 1, text: /^(?:-[a-z]*c|--command)/ }],
  ['watch', { short: 'n', long: ['interval'], joins: true }],
  ['script', {
    short: 'cEIOBTo', long: ['command', 'echo', 'log-in', 'log-out', 'log-io', 'log-timing', 'output-limit'], operands: 1, own: true,
    text: /^(?:-[a-z]*c|--command)/
  }]
])

/** Options of wrappers that take no value, or an attached one, and run nothing themselves; see Spelling. */
const flags: Readonly<Record<string, string>> = {
  sudo: '-nEHSkKPbABV --preserve-env? --non-interactive --set-home --background --stdin',
  doas: '-nL',
  run0: '--pipe --pty',
  pkexec: '--keep-cwd',
  runuser: '-lmpfP --login --preserve-environment',
  setpriv: '--clear-groups --keep-groups --init-groups --no-new-privs',
  nsenter: '-amuinpUCTF --all --mount? --uts? --ipc? --net? --pid? --user? --cgroup?',
  'systemd-run': '-PGqdr --user --scope --pty --pipe --wait --collect --quiet --system --same-dir --no-block',
  env: '-i0v --ignore-environment --null --debug',
  ionice: '-t --ignore',
  chrt: '-abfiormpv --batch --fifo --idle --other --rr',
  taskset: '-apc --cpu-list --all-tasks',
  setarch: '-RZLXBI3v --addr-no-randomize',
  prlimit: '--nofile? --nproc? --as? --cpu? --core? --data? --fsize? --stack? --rss?',
  setsid: '-cfw --ctty --fork --wait',
  time: '-apvq --append --portability --verbose --quiet',
  timeout: '-v --preserve-status --foreground --verbose',
  ccache: '-sxzcCpvVh --show-stats --zero-stats --clear --cleanup --show-config --version',
  sccache: '-sz --show-stats --zero-stats --start-server --stop-server --version',
  ifne: '-n',
  unbuffer: '-p',
  chronic: '-ve',
  command: '-pvV',
  exec: '-cl',
  fakeroot: '-u --unknown-is-real',
  'xvfb-run': '-al --auto-servernum --auto-display --server-args? --server-num?',
  valgrind: '-qv --leak-check? --show-leak-kinds? --track-origins? --error-exitcode? --tool? --quiet --verbose --num-callers? --log-file? --suppressions? --gen-suppressions? --trace-children?',
  ltrace: '-bcCfirStTV --follow-forks',
  strace: '-cCdfFhikqrtTvVwyYzZ --follow-forks --summary-only --output?',
  chroot: '--skip-chdir',
  unshare: '-mUipnuCTrfc --map-root-user --mount? --pid? --fork --user? --net? --ipc? --uts? --cgroup? --mount-proc? --map-current-user --keep-caps --kill-child?',
  'ssh-agent': '-cDdks',
  'ld.so': '--list --verify --inhibit-cache',
  proxychains: '-q',
  proxychains4: '-q',
  torsocks: '-i --isolate',
  xargs: '-0rtpxo -eil? --eof? --replace? --max-lines? --null --no-run-if-empty --verbose --interactive --exit --open-tty',
  entr: '-cdnprsz',
  flock: '-sxunoFv --shared --exclusive --unlock --nonblock --close --no-fork --verbose',
  watch: '-bdegtcx --differences? --no-title --beep --errexit --chgexit --color --exec --precise',
  script: '-aefqT --append --return --flush --force --quiet'
}
const spellings = new Map<string, Spelling>()

/** Returns the options that may precede the command that a wrapper runs. */
export function spellingOf (program: string, { short = '', long = [] }: Wrapper): Spelling {
  const found = spellings.get(program) ??
    new Spelling(`${short === '' ? '' : `-${short}: `}${long.map((name) => `--${name}= `).join('')}${flags[program] ?? ''}`)
  spellings.set(program, found)
  return found
}

/** Shells, whose -c text is read like the command itself. */
export const shells: ReadonlySet<string> = new Set([
  'sh', 'bash', 'dash', 'zsh', 'ksh', 'ash', 'fish', 'rbash', 'mksh', 'csh', 'tcsh', 'pwsh', 'nu', 'elvish', 'xonsh', 'yash', 'rc', 'osh',
  'ysh', 'ion'
])

/** Shells with a syntax of their own: read as bash, their text would be misunderstood. */
export const foreignShells: ReadonlySet<string> = new Set(['zsh', 'fish', 'csh', 'tcsh', 'pwsh', 'nu', 'elvish', 'xonsh', 'rc', 'ysh', 'ion'])

/** Interpreters. Without a file they run their standard input; with one of these options, code on the command line. */
export const interpreters: ReadonlyMap<string, string[]> = new Map([
  ['python', ['-c']], ['pypy', ['-c']], ['node', ['-e', '--eval', '-p', '--print']], ['nodejs', ['-e', '--eval', '-p', '--print']],
  [
    'perl', ['-e', '-E']
  ], ['ruby', ['-e']], ['php', ['-r']], ['lua', ['-e']], ['awk', []], ['gawk', []], ['mawk', []], ['osascript', ['-e']],
  ['tclsh', []], ['Rscript', ['-e']], ['guile', ['-c']], ['ghci', ['-e']], ['iex', ['-e']], ['elixir', ['-e']], ['julia', ['-e']],
  ['swift', []], ['scala', ['-e']]
])

/** Interpreters whose first operand is their program, so that nothing on standard input is run. */
export const inlineByNature: ReadonlySet<string> = new Set(['awk', 'gawk', 'mawk'])

const always = (): boolean => true
const whenNamed = (args: readonly string[]): boolean => args.some((arg) => /^-f-$|^--(?:make)?file=-$|^-$|^\/dev\/(?:stdin|fd\/)/.test(arg))

/** Programs, neither shells nor interpreters, that read commands from standard input, and the arguments with which they do. */
export const commandReaders: ReadonlyMap<string, (args: readonly string[]) => boolean> = new Map([
  ...[
    'at', 'batch', 'crontab', 'ed', 'ex', 'gdb', 'lldb', 'm4', 'parallel', 'expect', 'sftp', 'ftp', 'tftp', 'telnet'
  ].map((name): [string, () => boolean] => [name, always]),
  ['make', whenNamed], ['gmake', whenNamed]
])

/** Programs whose own language lets input start other programs: `\!` of psql, `.shell` of sqlite3, `!` of vi and dc. */
export const escapableReaders: ReadonlySet<string> = new Set(('psql pgcli mysql mariadb mycli sqlite sqlite3 litecli duckdb mongo mongosh redis-cli valkey-cli sqlplus sqlcmd usql cqlsh clickhouse ' +
  'clickhouse-client vi vim nvim view rview rvim gvim gview evim vimdiff emacs kak dc gnuplot jshell kotlin groovy clojure clj bb tsx ts-node irb pry ipython bpython luajit texlua luatex lualatex ' +
  'tex latex pdftex pdflatex xelatex R octave matlab maxima sage sbcl clisp ecl racket scheme gforth runghc runhaskell ocaml utop erl raku janet fennel wish msfconsole lftp mail mailx mutt neomutt ' +
  'debugfs su sg newgrp tmux screen').split(' '))

/** Subcommands whose remaining words are a command, with the number of words before it. */
export const runners: ReadonlyMap<string, number> = new Map([
  ['poetry run', 0], ['pipenv run', 0], ['uv run', 0], ['hatch run', 0], ['pdm run', 0], ['rye run', 0], ['conda run', 0],
  ['bundle exec', 0], ['pnpm exec', 0], ['yarn exec', 0],
  ['npm exec', 0], ['npm x', 0], ['direnv exec', 1], ['rbenv exec', 0], ['pyenv exec', 0], ['nodenv exec', 0], ['asdf exec', 0],
  ['mise exec', 0], ['mise x', 0], ['perf stat', 0], ['perf record', 0], ['rustup run', 1],
  ['git bisect run', 0]
])

/** Programs whose first operand is a program that they find, or download, and run; the key names it. */
export const packageRunners: ReadonlySet<string> = new Set(['npx', 'bunx', 'uvx'])
