import { normalize } from 'node:path'
import { bringsFromGit } from './git-base.js'
import { hasOption, operandsOf } from './options.js'

/** What the policy knows about programs. Tables only: programs that are not in them get the stricter treatment. */

/** Programs that only read the files in their arguments. Any other program may write to a path in its arguments. */
const readers = new Set(['cat', 'tac', 'nl', 'ls', 'dir', 'head', 'tail', 'grep', 'egrep', 'fgrep', 'zgrep', 'rg', 'ag', 'less', 'more', 'wc', 'file', 'stat', 'diff', 'cmp', 'comm',
  'cd', 'pushd', 'du', 'df', 'find', 'fd', 'tree', 'sort', 'uniq', 'cut', 'paste', 'sed', 'awk', 'gawk', 'mawk', 'test', '[', '[[',
  'md5sum', 'sha1sum', 'sha256sum', 'sha512sum', 'cksum', 'b2sum',
  'od', 'xxd', 'hexdump', 'strings', 'readlink', 'realpath', 'jq', 'yq', 'base64', 'base32', 'column', 'source', '.', 'zcat', 'bat', 'nm',
  'ldd', 'size', 'man', 'pr', 'fold', 'fmt', 'rev', 'expand', 'unexpand',
  'join', 'shuf', 'tsort', 'ptx', 'look', 'iconv', 'bzcat', 'xzcat', 'zstdcat', 'lz4cat', 'zless', 'zmore', 'bzgrep', 'xzgrep', 'zdiff',
  'wdiff', 'colordiff', 'delta', 'sum', 'b3sum', 'sha224sum', 'sha384sum', 'hexyl',
  'glow', 'mdcat', 'cloc', 'tokei', 'ack'])

/** Options that turn a reader into a writer. */
const writingOptions: ReadonlyMap<string, RegExp> = new Map([
  ['sed', /^(?:-[a-zA-Z]*i|--in-place)/],
  ['sort', /^(?:-[a-zA-Z]*o|--o)/],
  ['shuf', /^(?:-[a-zA-Z]*o|--o)/],
  ['iconv', /^(?:-[a-zA-Z]*o|--o)/],
  ['less', /^(?:-[a-zA-Z]*[oO]|--(?:log-file|LOG-FILE))/],
  ['file', /^(?:-[a-zA-Z]*C|--compile)/],
  ['gawk', /^(?:-[dilop]|--(?:dump-variables|include|load|pretty-print|profile))/],
  ['awk', /^(?:-[dilop]|--(?:dump-variables|include|load|pretty-print|profile))/],
  ['find', /^-(?:delete|fprint|fprintf|fls|fprint0|exec|execdir|ok|okdir)$/],
  ['tree', /^-o/],
  ['yq', /^(?:-[a-zA-Z]*[is]|--(?:inplace|split-exp))/],
  ['xxd', /^-r/]
])

/** Readers that write to the second file in their arguments. */
const writesSecond = new Set(['uniq', 'xxd'])

/** Programs whose arguments are not files. */
export const wordsOnly: ReadonlySet<string> = new Set(['echo', 'printf', 'true', 'false', ':', 'basename', 'dirname', 'which', 'type', 'command', 'kill', 'sleep', 'seq', 'expr', 'date', 'uname',
  'whoami', 'id', 'hostname', 'export', 'set', 'unset', 'read', 'local', 'declare', 'return', 'exit', 'break', 'continue', 'shift', 'wait', 'test-path', 'tr', 'ps', 'pgrep', 'pkill', 'killall', 'eval', 'trap', 'alias', 'unalias', 'let', 'ssh', 'help'])

/** Options with which some of these still read a file. */
const readingOptions: ReadonlyMap<string, [letters: string, ...names: string[]]> = new Map([
  ['date', ['fr', '--file', '--reference']],
  ['hostname', ['F', '--file']],
  ['pgrep', ['F', '--pidfile']],
  ['pkill', ['F', '--pidfile']]
])

/** Returns whether none of the arguments is a file. */
export function takesNoFiles (program: string, args: readonly string[]): boolean {
  const options = readingOptions.get(program)
  return wordsOnly.has(program) && (options === undefined || !hasOption(args, ...options))
}

/**
 * Returns whether the program may read data that its arguments do not name: files in a list, data of other processes, or data of its own.
 */
export function readsUnnamed (program: string, args: readonly string[]): boolean {
  const [first = '', second = ''] = args.filter((arg) => !arg.startsWith('-'))
  switch (program) {
    case 'sort':
    case 'wc':
    case 'du': return args.some((arg) => /^--files/.test(arg))
    case 'file': return hasOption(args, 'f', '--files-from')
    case 'tar': return args.some((arg) => /^-[a-zA-Z]*T|^--files/.test(arg)) || /^[a-zA-Z]*T/.test(args[0] ?? '')
    // A filter rule may read further rules from a file.
    case 'rsync': return args.some((arg) =>
      /^--files-f/.test(arg) || (arg.includes('/') && /^(?:--filter=|-[a-zA-Z]*f)?(?:merge|dir-merge|[.:])[ ,_+!-]/.test(arg)))
    case 'cpio':
    case 'pax': return true
    // Among its options without a dash, `e` shows the environment.
    case 'ps': return args.some((arg, index) => (/^(?:[a-df-zA-Z]*e[a-zA-Z]*$|[a-zA-Z]*[*?[])/.test(arg) &&
      !/^(?:-[a-zA-Z]*[CoOuUgGpst]|--[a-zA-Z]+)$/.test(args[index - 1] ?? '')) || /^-[a-zA-Z]*E/.test(arg))
    case 'strace':
    case 'ltrace':
    case 'gdb':
    case 'lldb': return args.some((arg) => /^-p|^--(?:pid|attach)/.test(arg))
    case 'gcore':
    case 'gstack':
    case 'pstack':
    case 'secret-tool':
    case 'pass': return true
    case 'systemctl': return /^(?:show|cat|show-environment)$/.test(first)
    case 'gh':
    case 'glab': return first === 'auth' && args.some((arg) => /^(?:token|git-credential|-t|--show-token)$/.test(arg))
    case 'git': return args.some((arg) => /^credential(?:-|$)/.test(arg))
    case 'gcloud': return (first === 'auth' && second.startsWith('print')) || (first === 'secrets' && args.includes('access'))
    case 'az': return /^(?:account get-access-token|keyvault secret)$/.test(`${first} ${second}`)
    case 'aws': return /^(?:configure (?:get|export-credentials)|secretsmanager .*get-\S+|ecr get-login\S*|eks get-token|sts (?:get-session|assume|get-fed)\S*|ssm get-param\S*)$/
      .test(`${first} ${second}`)
    case 'vault':
    case 'op':
    case 'bw':
    case 'security': return true
    case 'kubectl': return (first === 'config' && hasOption(args, '', '--raw')) ||
      args.some((arg) => /(?:^|,)secrets?(?:[./,]|$)|[*?[]/.test(arg))
    case 'gpg': return args.some((arg) => /^--export-secret/.test(arg))
    default: return false
  }
}

/** Programs that read whole folders, and the options that make them do so; null = always. */
const throughFolders: ReadonlyMap<string, RegExp | null> = new Map<string, RegExp | null>([
  ...['grep', 'egrep', 'fgrep', 'zgrep'].map((name): [string, RegExp] =>
    [name, /^(?:-[a-zA-Z]*[rRd]|--(?:rec|deref|dir))/]),
  ...['rg', 'ag', 'ack', 'ugrep', 'rgrep', 'rsync', 'tar', 'gtar', 'bsdtar', '7z', '7za', '7zr', '7zz', 'jar', 'mksquashfs', 'genisoimage', 'xorriso',
    'restic', 'borg', 'unison', 'rclone', 'gsutil', 's3cmd', 'serve', 'http-server', 'live-server', 'httpd', 'cloc', 'tokei', 'scc', 'hashdeep', 'md5deep',
    'trivy', 'gitleaks', 'semgrep'].map((name): [string, null] => [name, null]),
  // Without a repository, or with a path outside of it, `git diff` compares folders.
  ['git', /^(?:--no-i\w*|diff)$/],
  ['python', /^(?:-m)?(?:http\.server|zipfile|tarfile)$/], ['php', /^-S/], ['npx', /^(?:serve|http-server|live-server)(?:@|$)/], ['npm', /^(?:pack|publish)$/],
  ['kubectl', /^cp$/], ['aws', /^(?:cp|mv|sync)$/], ['gcloud', /^(?:cp|mv|rsync|scp)$/], ['az', /^(?:upload-batch|sync)$/],
  ['diff', /^(?:-[a-zA-Z]*r|--rec)/], ['colordiff', /^(?:-[a-zA-Z]*r|--rec)/], ['cp', /^(?:-[a-zA-Z]*[rRa]|--(?:rec|arc))/],
  ['scp', /^-[a-zA-Z]*r/], ['zip', /^(?:-[a-zA-Z]*r|--rec)/],
  // A link or a mount includes everything below the folder.
  ['ln', /^(?:-[a-zA-Z]*s|--sym)/],
  ...['docker', 'podman', 'nerdctl'].map((name): [string, RegExp] => [name, /^(?:-v|--vol|--mou|(?:build|cp)$)/])
])

/** Returns whether the program reads everything below the folders in its arguments. */
export function goesThroughFolders (program: string, args: readonly string[]): boolean {
  const options = throughFolders.get(program)
  return options !== undefined && (options === null || args.some((arg) => options.test(arg)))
}

/**
 * Returns whether the call puts files from elsewhere in place, which may include links.
 *
 * @param isBaseMoved whether an earlier call of the line may have changed what git goes back to
 */
export function bringsFiles (program: string, args: readonly string[], isBaseMoved: boolean): boolean {
  switch (program) {
    case 'tar':
    case 'gtar':
    case 'bsdtar': return hasOption(args, 'x', '--extract', '--get') || /^[a-zA-Z]*x/.test(args[0] ?? '')
    case 'unzip': return !hasOption(args, 'lptvzZ')
    case '7z':
    case '7za':
    case '7zr':
    case '7zz': return /^[ex]$/.test(args[0] ?? '')
    case 'unar':
    case 'unrar':
    case 'cpio':
    case 'pax':
    case 'patch': return true
    case 'git': return bringsFromGit(args, isBaseMoved)
    default: return false
  }
}

/** Options of many programs whose value is a file that they read. */
export const namesInput = /^(?:-[a-zA-Z]*[fFKTI]|--?(?:[a-z-]*file|in|input|config|upload-file|identity|cert|key|rawfile|slurpfile|exclude-from|from-file))$/

/** Programs that change or remove files in their arguments: an unknown argument makes the call opaque. */
export const changers: ReadonlySet<string> = new Set(['rm', 'rmdir', 'unlink', 'shred', 'mv', 'cp', 'ln', 'tee', 'dd', 'truncate', 'chmod', 'chown', 'chgrp', 'install', 'rsync', 'chattr', 'setfacl', 'kill', 'curl', 'wget',
  'touch', 'mkdir', 'mkfifo', 'mknod', 'sponge', 'split', 'csplit', 'patch', 'unzip', 'gzip', 'gunzip', 'bzip2', 'bunzip2', 'xz', 'unxz', 'zstd', 'zip', 'tar', 'cpio'])

/** Programs for which a grant must not outlive the session: they can do anything, or their effects cannot be undone. */
export const sessionOnly: ReadonlySet<string> = new Set(['sudo', 'doas', 'su', 'run0', 'pkexec', 'runuser', 'gosu', 'su-exec', 'setpriv', 'nsenter', 'systemd-run', 'rm', 'shred', 'dd', 'ssh',
  'source', '.', 'chroot', 'parallel', 'script', 'crontab', 'at', 'batch', 'kill', 'killall', 'pkill', 'vim', 'vi', 'nvim', 'ex', 'ed', 'emacs', 'gdb', 'tmux', 'screen', 'expect'])

/**
 * Programs, and their subcommands, that have a language of their own, or start programs that their arguments name, on this machine or on
 * another. The name says little about what a call does, so a grant does not outlive the session.
 */
export const openEnded: ReadonlySet<string> = new Set([
  // databases: .shell, \!, system, scripts in the server
  'sqlite3', 'sqlite', 'litecli', 'psql', 'pgcli', 'mysql', 'mariadb', 'mycli', 'mongo', 'mongosh', 'redis-cli', 'valkey-cli', 'duckdb',
  'sqlplus', 'sqlcmd', 'usql', 'cqlsh', 'clickhouse', 'clickhouse-client',
  // editors and mail clients
  'view', 'rview', 'rvim', 'gvim', 'gview', 'evim', 'vimdiff', 'emacsclient', 'nano', 'pico', 'joe', 'kak', 'hx', 'micro', 'mail', 'mailx',
  'mutt', 'neomutt',
  // languages
  'nawk', 'original-awk', 'goawk', 'mlr', 'm4', 'dc', 'gnuplot', 'java', 'jshell', 'kotlin', 'groovy', 'clojure', 'clj', 'bb', 'tsx',
  'ts-node', 'irb', 'pry', 'ipython', 'bpython', 'jupyter', 'luajit', 'texlua', 'luatex', 'lualatex',
  'R', 'octave', 'matlab', 'maxima', 'sage', 'sbcl', 'clisp', 'ecl', 'racket', 'scheme', 'gforth', 'ghc', 'runghc', 'runhaskell', 'ocaml',
  'utop', 'erl', 'escript', 'raku', 'janet', 'fennel', 'wish', 'lldb', 'msfconsole',
  'go run', 'go generate', 'go tool', 'dotnet exec', 'dotnet fsi', 'dotnet script', 'mvn exec:exec', 'mvn exec:java', 'mvn antrun:run',
  ...['pdb', 'code', 'timeit', 'profile', 'cProfile', 'trace', 'runpy', 'IPython', 'ipython', 'jupyter'].map((module) =>
    `python -m ${module}`),
  // packages that are fetched and run
  'pipx run', 'uv tool', 'npm create', 'npm init', 'pnpm dlx', 'pnpm create', 'yarn dlx', 'yarn create', 'yarn node', 'bun x', 'bun create', 'nix run',
  'nix shell', 'nix develop', 'nix-shell', 'guix', 'flatpak run', 'snap run', 'gh extension', 'gh extensions', 'gh ext', 'gh alias',
  'gh cs', 'npm explore', 'helm plugin', 'docker plugin',
  // containers and other machines
  ...['docker', 'podman'].flatMap((program) => [`${program} run`, `${program} exec`, `${program} create`, ...[
    'container', 'compose'
  ].flatMap((group) => [`${program} ${group} run`, `${program} ${group} exec`, `${program} ${group} create`]),
  `${program} service`, `${program} stack`, `${program} kube`]), 'docker-compose run', 'docker-compose exec', 'nerdctl', 'lxc', 'incus', 'kubectl exec', 'kubectl run', 'kubectl debug', 'kubectl attach', 'gh codespace', 'aws ssm send-command', 'aws ssm start-session', 'aws ecs execute-command', 'gcloud compute ssh', 'az vm run-command', 'az rest', 'rclone rc', 'rclone rcd', 'rclone serve',
  'git daemon', 'git http-backend', 'git instaweb', 'git cvsserver',
  'adb', 'vagrant', 'ansible', 'ansible-playbook', 'ansible-console', 'puppet', 'salt', 'salt-call', 'chef-client', 'chef-solo', 'socat',
  'nc', 'ncat', 'netcat', 'lftp',
  // programs that start others in ways that are not followed
  'podman unshare', 'podman machine', 'podman play', 'dbus-launch', 'runcon', 'faketime', 'xdg-open', 'open', 'perf script', 'bpftrace', 'stap', 'dtrace',
  'firejail', 'bwrap', 'proot', 'fakechroot', 'numactl', 'cpulimit', 'timelimit', 'catchsegv', 'torify', 'sg', 'newgrp',
  'start-stop-daemon', 'run-parts', 'envdir', 'capsh', 'daemonize', 'dtach', 'abduco', 'zellij', 'byobu', 'wine',
  'hyperfine', 'pee', 'kcov', 'rr', 'gdbserver', 'dlv', 'heaptrack', 'volta', 'fnm', 'nvm', 'goenv', 'mamba', 'micromamba', 'pixi', 'stack', 'cabal', 'lerna',
  'doppler', 'aws-vault', 'sops', 'chamber', 'op', 'dotenv', 'dotenvx', 'env-cmd', 'chpst', 'msgfilter', 'msgexec', 'fdfind', 'autossh', 'mosh', 'pssh', 'parallel-ssh',
  'pdsh', 'clush', 'limactl', 'multipass', 'ctr', 'crictl', 'machinectl', 'systemd-nspawn', 'nomad', 's6-setuidgid', 'wait-for-it', 'dockerize', 'zx',
  'chokidar', 'onchange', 'reflex', 'retry', 'fab', 'youtube-dl', 'tig', 'lazygit', 'mc', 'vifm', 'ranger',
  'pm2', 'forever', 'nodemon', 'watchexec', 'concurrently', 'npm-run-all', 'run-p', 'run-s', 'foreman', 'honcho', 'logrotate', 'packer'
])

/** Environment variables that make harmless programs run other code, or act somewhere else. */
const steering = new RegExp(`^(?:${['G[HL]_(?!TOKEN$|PROMPT_DISABLED$|FORCE_TTY$|NO_UPDATE_NOTIFIER$).*', 'GITLAB_HOST', 'OLDPWD', 'DIRSTACK', 'GLOBIGNORE', 'LOCPATH', 'NLSPATH', 'GLIBC_TUNABLES', 'MALLOC_TRACE', 'RES_OPTIONS',
  'CGO_(?!ENABLED$).*', 'PKG_CONFIG.*', 'AR', 'LD', 'AS', 'CPP', 'FC', 'TF_(?:CLI|PLUGIN|LOG_PATH|DATA_DIR|WORKSPACE).*',
  '(?:DEPENDENCIES|SUNPRO)_(?:OUTPUT|DEPENDENCIES)', 'MAVEN_ARGS', 'PG(?:HOST(?:ADDR)?|SERVICE.*|SYSCONFDIR)',
  'MYSQL_(?:HOST|HOME|GROUP_SUFFIX|TEST_LOGIN_FILE|TCP_PORT|UNIX_PORT)', 'REDISCLI_.*', 'RCLONE_.*', 'GOPROXY', 'BASH_(?:CMDS|ALIASES|LOADABLES_PATH|XTRACEFD|ARGV0|COMPAT)', 'TEXTDOMAIN(?:DIR)?', 'EXECIGNORE', 'POSIXLY_CORRECT', 'HISTFILE',
  'HOSTALIASES', 'LOCALDOMAIN', 'RSH', 'TAPE', 'ZIPOPT', 'MAN(?:OPT|ROFFOPT)', 'LESSKEY.*',
  'BAT_.*', 'FZF_DEFAULT_.*', '(?:VIM|EX)INIT', 'MYVIMRC', 'LUA_.*', 'PHPRC', 'PHP_INI_SCAN_DIR', 'R_(?:PROFILE|ENVIRON).*', 'CMAKE_.*',
  'COMPILER_PATH', 'GCC_.*', 'PIP_.*', 'UV_.*', 'POETRY_.*', 'YARN_.*',
  'BUN_.*', 'DENO_.*', 'GO(?:PROXY|PRIVATE|SUMDB|NOSUMDB|ENV|TOOLDIR|ROOT|CACHEPROG|AUTH|TOOLCHAIN|WORK|VCS|PATH|MODCACHE|INSECURE)',
  'AWS_(?:ENDPOINT.*|CONFIG_FILE|SHARED_CREDENTIALS_FILE|CA_BUNDLE|DATA_PATH|(?:DEFAULT_)?PROFILE|ROLE_.*|WEB_IDENTITY_.*)', 'CLOUDSDK_.*',
  'GOOGLE_APPLICATION_CREDENTIALS', 'AZURE_CONFIG_DIR', 'PSQLRC',
  'PATH', 'HOME', 'CDPATH', 'IFS', 'ENV', 'BASH_ENV', 'BASH_FUNC.*', 'PS[0-4]', 'PROMPT_COMMAND', 'SHELL', 'SHELLOPTS', 'BASHOPTS',
  'ZDOTDIR', 'INPUTRC', 'LD_.*', 'DYLD_.*',
  'GCONV_PATH', 'GIT_.*', 'SSH_(?:ASKPASS.*|AUTH_SOCK|SK_.*|PKCS11_.*)', 'SUDO_ASKPASS', 'GNUPGHOME', '.*PAGER', '.*EDITOR', 'VISUAL', 'FCEDIT', 'BROWSER', 'LESS', 'LESSOPEN',
  'LESSCLOSE', 'NODE_(?:OPTIONS|PATH|V8_COVERAGE|COMPILE_CACHE|REDIRECT_WARNINGS|REPL_.*|TLS_REJECT_UNAUTHORIZED|EXTRA_CA_CERTS|CHANNEL_.*)', 'TS_NODE_.*',
  'PYTHON(?:PATH|STARTUP|HOME|INSPECT|BREAKPOINT|USERBASE|WARNINGS|EXECUTABLE|PLATLIBDIR|PYCACHEPREFIX|_HISTORY|DUMPREFSFILE)', 'COVERAGE_(?:FILE|PROCESS_START|RCFILE)', 'LLVM_PROFILE_FILE', 'GCOV_PREFIX.*',
  'PERL5?(?:OPT|LIB|5LIB|DB)', 'PERL5DB', 'RUBY(?:OPT|LIB)', 'GEM_(?:HOME|PATH)', 'BUNDLE_.*', '_?JAVA_(?:TOOL_)?OPTIONS',
  'JDK_JAVA_OPTIONS', 'MAVEN_OPTS', 'GRADLE_OPTS', 'DOTNET_STARTUP_HOOKS', 'MAKEFLAGS',
  'GNUMAKEFLAGS', 'MAKEFILES', 'RUSTC(?:_.*)?', 'RUSTDOC', 'RUSTFLAGS', 'CARGO_.*', '[nN][pP][mM]_[cC][oO][nN][fF][iI][gG]_.*', 'GOFLAGS',
  'RUSTUP_.*', 'ELECTRON_RUN_AS_NODE', 'CC', 'CXX', 'TAR_OPTIONS', 'GREP_OPTIONS', 'XZ_(?:OPT|DEFAULTS)', 'UNZIP(?:OPT)?', 'RSYNC_.*', 'RIPGREP_CONFIG_PATH', '(?:SYSTEM_)?WGETRC', 'MAGIC', 'MAGICK_.*', 'VALGRIND_OPTS', 'FFREPORT',
  'GST_PLUGIN_.*', 'QT_PLUGIN_PATH', 'GTK_(?:MODULES|PATH)', 'OPENSSL_(?:MODULES|ENGINES)', 'ERL_.*', 'GUILE_LOAD_.*', 'JULIA_.*',
  'TCLLIBPATH', 'CURL_HOME',
  'OPENSSL_CONF', 'SSLKEYLOGFILE', '(?:https?|all|ftp)_proxy', '(?:HTTPS?|ALL|FTP)_PROXY', 'DOCKER_(?:HOST|CONFIG|CONTEXT|CERT_PATH|TLS.*)', 'BUILD(?:KIT|X)_(?:HOST|BUILDER|CONFIG)', 'CONTAINERS?_.*', 'KUBE(?:CONFIG|CTL_.*|RNETES_.*)', 'HELM_(?!DEBUG$).*', 'XDG_(?:CONFIG|DATA)_.*', 'TERM(?:INFO.*|CAP)'].join('|')})$`)

/** Values of such variables that people use every day and that steer nothing. */
const harmlessSettings = [
  /^GIT_(?:AUTHOR|COMMITTER)_(?:NAME|EMAIL|DATE)=/, /^GIT_(?:TERMINAL_PROMPT|OPTIONAL_LOCKS)=/, /^[A-Z_]*PAGER=(?:cat|)$/,
  /^(?:GIT_(?:SEQUENCE_)?)?EDITOR=(?:true|:|cat)$/, /^CARGO_(?:TERM_\w+|INCREMENTAL|NET_OFFLINE)=/,
  /^NODE_OPTIONS=--max-old-space-size=\d+$/, /^PYTHONWARNINGS=[\w:,]*$/, /^RUSTUP_TOOLCHAIN=[a-z\d][\w.-]*$/,
  /^XZ_(?:OPT|DEFAULTS)=(?:-[\de]+|-T ?\d+|--threads=\d+)$/
]

/** Returns whether a text, read as arithmetic, assigns to such a variable: that can happen anywhere in it, also with an index. */
export const steersInText = (text: string): boolean =>
  [...text.matchAll(/(?<!\w)([A-Za-z_]\w*)\s*(?:\[|(?:[-+*/%&|^]|<<|>>)?=(?!=)|\+\+|--)|(?:\+\+|--)\s*([A-Za-z_]\w*)/g)]
    .some((found) => steering.test(found[1] ?? found[2] ?? ''))

/** Returns whether setting the variable to this value changes what other programs do. */
export function steers (name: string, value: string): boolean {
  return steering.test(name) && !harmlessSettings.some((setting) => setting.test(`${name}=${value}`))
}

/** Programs whose first operand is a pattern or a script, not a file, unless an option contains it. */
export const patternFirst: ReadonlySet<string> = new Set([
  'sed', 'grep', 'egrep', 'fgrep', 'zgrep', 'rg', 'ag', 'awk', 'gawk', 'mawk', 'jq', 'yq'
])
/** Returns a pattern for options of a program whose value, in the next word, is a pattern or a script. */
export function patternOption (program: string): RegExp | undefined {
  if (program === 'find') return /^-i?(?:name|path|wholename|regex|lname)$/
  if (program === 'rg') return /^(?:-[a-zA-Z]*[eg]|--(?:regexp|glob|iglob))$/
  return patternFirst.has(program) && !['jq', 'yq'].includes(program) ? /^(?:-[a-zA-Z]*e|--(?:expression|regexp))$/ : undefined
}
export const givesPattern = /^(?:-[a-zA-Z]*[ef]|--(?:expression|file|files|regexp|from-file))/

export const isReader = (program: string): boolean => readers.has(program)

/** Returns whether `program` with these arguments only reads its files. */
export function onlyReads (program: string, args: readonly string[]): boolean {
  if (!readers.has(program)) return false
  // `-` also counts as a file, the first of two, and so do values of options.
  if (writesSecond.has(program) && operandsOf(args, {}).length > 1) return false
  const writing = writingOptions.get(program)
  return writing === undefined || !args.some((arg) => writing.test(arg))
}

/** Matches the dynamic loader, which starts programs for the kernel, and also starts a program in its arguments. */
const loader = /^(?:\/usr)?\/lib\w*\/(?:[\w-]+\/)?ld[\w.-]*\.so[\d.]*$/
const binFolder = /^(?:\/usr\/local|\/usr|\/opt\/homebrew|\/snap)?\/s?bin\/([^/]+)$/
const numbered = /^(python|pypy|pip|node|perl|ruby|php|lua|bash)[\d.]+$/

/** Returns a program's name without a version, and without its folder if that is one of the system's. */
export function programName (word: string): string {
  if (loader.test(word)) return 'ld.so'
  const name = binFolder.exec(word.startsWith('/') ? normalize(word) : word)?.[1] ?? word
  return numbered.exec(name)?.[1] ?? name
}
