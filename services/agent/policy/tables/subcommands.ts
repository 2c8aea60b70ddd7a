import { globalsOf } from './known.js'
import { type Options, pairsOf } from './options.js'

/** Programs whose first plain word says what they do, with the options that take a value and may stand before it. */
export const subcommands: ReadonlyMap<string, Options> = new Map((
  'git hg svn gh glab npm npx pnpm yarn bunx bun deno docker podman docker-compose apt apt-get dnf yum apk brew snap flatpak pip pipx pipenv uv uvx ' +
  'poetry hatch pdm rye conda cargo rustup go gem bundle composer dotnet mvn gradle systemctl service launchctl kubectl helm terraform tofu ansible aws ' +
  'gcloud az ip direnv rbenv pyenv nodenv asdf mise perf nix openssl '
).trim().split(' ').map((program) => [program, globalsOf(program) ?? {}]))

const sqlShells = /(?:^|[\s;])(?:system|source|tee|pager)\s|\\[!.PT]/i
const helpers = /^[a-z][\w+.-]*::/i
const files = /^@/
const commands = /^\+/
/** Words beside options that make a program run what its name does not tell, or hand it a file of further words. */
const telling: ReadonlyMap<string, RegExp> = new Map([
  ...['clone', 'fetch', 'pull', 'push', 'ls-remote', 'remote', 'submodule', 'archive'].map((name): [string, RegExp] => [`git ${name}`, name === 'submodule' ? /^foreach$|^[a-z][\w+.-]*::/i : helpers]),
  ...['vim', 'vi', 'nvim', 'ex', 'view', 'rview', 'rvim', 'gvim', 'gview', 'vimdiff', 'less', 'zless', 'emacs', 'emacsclient'].map((name): [string, RegExp] => [name, commands]),
  ...['cc', 'c++', 'gcc', 'g++', 'clang', 'clang++', 'ld', 'javac', 'rustc'].map((name): [string, RegExp] => [name, files]),
  ...['mysql', 'mariadb'].map((name): [string, RegExp] => [name, sqlShells]),
  ['curl', /%output\{/],
  ['make', /^[\w.-]+!=|^(?:SHELL|\.SHELLFLAGS|MAKEFLAGS|GNUMAKEFLAGS|MAKEFILES)[:?+!]*=|^[\w.-]+[:?+!]*=[^]*[^\w./:@,+%=-]/],
  ['npm config', /^(?:script-shell|shell|editor|git|node-options|set)$/],
  ['tmux', /./],
  ['screen', /./],
  ['sqlite3', /^[ \t]*\.[ \t]*(?:sh|sy|lo|o[nu]|exc|i|re|cd|ar)|\b(?:load_extension|writefile|edit)\s*\(/im],
  ['psql', /\\(?:!|c\b|connect|copy|setenv|ir?\b|o\b|w\b|g\w*\s*\|)|\bprogram\s*(?:'|\$|e')/i],
  ['duckdb', /^[ \t]*\.[ \t]*(?:sh|sy|o[nu]|re)|\bshellfs\b/im],
  ['go', /-extld|-fplugin/],
  ['mvn', /^(?:[\w.]+:)*(?:exec(?:-maven-plugin)?|antrun|maven-antrun-plugin|groovy\w*):|^-Dexec\./],
  ...['clippy', 'rustc', 'rustdoc'].map((name): [string, RegExp] => [`cargo ${name}`, /^(?:-C|--codegen|-Z|@)|linker/]),
  ['gh alias', /^!/],
  ['gnuplot', /\bsystem\b|`|!|["'][<|]/],
  ['socat', /(?:exec|system|shell):/i],
  ['pandoc', /\.lua$/]
])

/** What `ssh -o` may say: anything else may start a program, or lead elsewhere. */
const sshSetting = new RegExp('^(?:StrictHostKeyChecking|BatchMode|Connect(?:Timeout|ionAttempts)|ServerAlive\\w+|UserKnownHostsFile|LogLevel|\\w+Authentication|' +
  'PreferredAuthentications|IdentitiesOnly|IdentityFile|Port|User|TCPKeepAlive|Compression|NumberOfPasswordPrompts|AddressFamily|CheckHostIP|' +
  'HashKnownHosts|UpdateHostKeys|RequestTTY)[ =]', 'i')

/** The setting that makes ssh, or what is built on it, do more than connect; undefined when there is none. */
export function tellingSetting (program: string, args: readonly string[]): string | undefined {
  if (!/^(?:ssh|scp|sftp)$/.test(program)) return undefined
  return pairsOf(args, globalsOf(program) ?? {}).find(({ name, value }) => name === '-o' && !sshSetting.test(value))?.value
}

/** A way to merge is a program whose name git completes; with a folder in it, it is any program. */
function isMergeProgram (subcommand: string | undefined, args: readonly string[], index: number): boolean {
  const [word = '', before = ''] = [args[index], args[index - 1]]
  if (!/^(?:merge|pull|rebase|cherry-pick|revert)$/.test(subcommand ?? '') || !word.includes('/')) return false
  // Elsewhere the letter signs off.
  const takesLetter = !/^(?:cherry-pick|revert)$/.test(subcommand ?? '')
  return /^--strategy=/.test(word) || before === '--strategy' || (takesLetter && (/^-[a-zA-Z]*s[^a-zA-Z]/.test(word) || /^-[a-zA-Z]*s$/.test(before)))
}

/** Where the word stands that makes a call run something its name does not tell; -1 when there is none. */
export function tellingAt (program: string, args: readonly string[], at: number): number {
  const subcommand = subcommands.has(program) ? args[at] : undefined
  const anywhere = telling.get(program)
  const behind = subcommand === undefined ? undefined : telling.get(`${program} ${subcommand}`)
  return args.findIndex((arg, index) => anywhere?.test(arg) === true || (program === 'git' && isMergeProgram(subcommand, args, index)) || (index > at && behind?.test(arg) === true))
}
