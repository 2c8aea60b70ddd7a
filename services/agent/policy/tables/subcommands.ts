import { globalsOf, optionsOf } from './known.js'
import { type Options, pairsOf } from './options.js'
import { isOption, Spelling, takenBy } from './spelling.js'

/** Programs whose first plain word says what they do, with the options with a value that may precede it. */
export const subcommands: ReadonlyMap<string, Options> = new Map((
  'git hg svn gh glab npm npx pnpm yarn bunx bun deno docker podman docker-compose apt apt-get dnf yum apk brew snap flatpak pip pipx pipenv uv uvx ' +
  'poetry hatch pdm rye conda cargo rustup go gem bundle composer dotnet mvn gradle systemctl service launchctl kubectl helm terraform tofu ansible aws ' +
  'gcloud az ip direnv rbenv pyenv nodenv asdf mise perf nix openssl rclone '
).trim().split(' ').map((program) => [program, globalsOf(program) ?? {}]))

/** Verbs, which end a sequence of nouns (`gcloud compute instances list`). */
const verb = 'list|describe|show|create|delete|remove|update|add|get|set|unset|reset|start|stop|restart|run|deploy|ssh|scp|cp|mv|rm|ls|cat|login|activate|enable|disable|' +
  'upload|download|import|export|build|submit|invoke|call|read|write|execute|connect|(?:list|get|set|add|remove|update|delete|create|print|show|start|configure|activate)-[a-z-]+'

/** Matches a word that is known only when the command runs. */
const openWord = /[\0*?[\s]|[@+!]\(/

/** Commands that only name the object: the next word is the action, and belongs to the key. */
const groups: readonly RegExp[] = [
  /^g(?:h|lab) (?!(?:api|browse|status|co|completion|help|version)$)[\w-]+$/, /^gh repo (?:deploy-key|autolink|gitignore|license)$/,
  /^(?:docker|podman) (?:builder|buildx|checkpoint|compose|config|container|context|image|kube|machine|manifest|model|network|node|plugin|pod|secret|service|stack|swarm|system|trust|volume)$/,
  /^kubectl (?:alpha|auth|certificate|config|krew|plugin|rollout|set|top)$/,
  /^helm (?:dep|dependency|get|inspect|plugin|registry|repo|search|show)$/,
  /^(?:terraform|tofu) (?:metadata|providers|state|workspace)$/, /^rclone (?:archive|backend|config|rc|serve|test)$/,
  /^aws (?!(?:help|login|logout)$)[\w-]+$/,
  /^az (?!(?:configure|feedback|find|help|interactive|login|logout|rest|self-test|upgrade|version)$)[\w-]+$/,
  /^gcloud (?!(?:cheat-sheet|feedback|help|info|init|survey|version)$)[\w-]+$/, /^gcloud (?:alpha|beta|preview) [\w-]+$/,
  new RegExp(`^(?:az|gcloud) [\\w-]+(?: (?!(?:${verb})$)[\\w-]+){1,4}$`),
  /^(?:npm|pnpm|yarn) (?:run|config|plugin|set|store|cache)$/, /^npm (?:audit|c|conf|explore|pkg|profile|rum|run-script|set-script|urn)$/,
  /^pnpm (?:c|env|run-script)$/, /^bun pm$/, /^deno task$/,
  /^yarn (?:npm|policies|workspace(?: \S+(?: run)?)?)$/, /^pip (?:cache|config|index)$/, /^uv (?:cache|pip|python|self|tool)$/,
  /^poetry (?:cache|config|env|self|source)$/, /^bundle (?:config|plugin)$/,
  /^composer (?:config|global)$/, /^dotnet (?:nuget|tool|workload)$/, /^go (?:mod|work)$/,
  /^rustup (?:component|override|self|set|target|toolchain)$/, /^git (?:lfs|maintenance)$/
]

/** Commands whose next word is also an action, but does not belong to the key. */
const verbBehind = /^git (?:bisect|bundle|commit-graph|config|credential|multi-pack-index|notes|reflog|refs|remote|sparse-checkout|stash|submodule|worktree)$/

/** Returns whether pattern expansion may change that word, which may be the second one if an option precedes it. */
function isVerbOpen (words: readonly string[]): boolean {
  const first = words.findIndex((word) => !isOption(word))
  return first !== -1 && words.slice(first, first + (first === 0 ? 1 : 2)).some((word) => openWord.test(word))
}

/** Options between such a command and its next word, if they mean something else after that word. */
const between: ReadonlyMap<string, Spelling> = new Map(['docker compose', 'podman compose'].map((command) => [command, new Spelling(
  '-fp: --file= --project-name= --profile= --env-file= --project-directory= --ansi= --progress= --parallel= --all-resources --compatibility --dry-run')]))

/**
 * Returns the words that name what a call does (`gh pr merge`), and in `end` the index of the word after them; null if the words are
 * unknown.
 */
export function nameOf (program: string, args: readonly string[], at: number): { name: string, end: number } | null {
  let name = `${program} ${args[at] ?? ''}`
  let end = at + 1
  while (groups.some((group) => group.test(name))) {
    const known = between.has(name) ? [between.get(name) ?? noOptions] : optionsOf(program, args[at]) ?? [globalsOf(program) ?? noOptions]
    let next = end
    for (let word = args[next]; word !== undefined && isOption(word); word = args[next]) {
      const takes = takenBy(known, word)
      // After an unknown option, it is uncertain which word comes next, unless the words so far are enough.
      if (takes === undefined) return /^\S+ \S+$/.test(name) ? null : { name, end }
      next += takes === 'nothing' ? 1 : 2
    }
    const word = args[next]
    if (word === undefined || word === '') break
    if (openWord.test(word)) return null
    name += ` ${word}`
    end = next + 1
  }
  return verbBehind.test(name) && isVerbOpen(args.slice(end)) ? null : { name, end }
}

/** Commands that change settings of other calls: what they contact, as which user, or what they run. */
const changing = new RegExp(`^(?:${[
  'g(?:h|lab) (?:config set|auth (?:login|logout|refresh|switch|setup-git)|alias (?:set|import|delete))',
  '(?:npm|pnpm|yarn) (?:c|conf|config) (?:set|unset|delete|rm|edit|fix)', '(?:npm|pnpm|yarn) set(?: .+)?',
  'pnpm env .+', 'yarn (?:plugin (?:import|remove)|policies) ?.*', 'pip config (?:set|unset|edit)', '(?:poetry|composer) config .+',
  'bundle config (?!list$|get$).+', 'dotnet nuget (?!list$|locals$).+',
  '(?:docker|podman) context (?:use|create|update|import|rm)', 'kubectl config (?:use|set|unset|delete|rename)\\S*',
  '(?:terraform|tofu) workspace (?:select|new|delete)', 'rclone config .+', 'rclone config',
  'gcloud (?:config (?:set|unset|configurations \\S+)|auth (?:login|revoke|activate\\S*|configure\\S*|application-default \\S+)|container clusters get-credentials)',
  'aws (?:configure (?!list|get).+|eks update-kubeconfig)',
  'az (?:account set|cloud (?:set|register|update)|config (?:set|unset)|configure|aks get-credentials)',
  'systemctl (?:link|edit|revert|set-environment|unset-environment|import-environment|set-property)',
  'git (?:maintenance (?:start|stop|register|unregister)|lfs (?:install|uninstall))'
].join('|')})$`)

/** Returns whether a call changes settings that other calls follow; `name` as in nameOf. */
export const changesOthers = (name: string): boolean => changing.test(name)

const noOptions = new Spelling('')

const sqlShells = /(?:^|[\s;])(?:system|source|tee|pager)\s|\\[!.PT]/i
const helpers = /^[a-z][\w+.-]*::/i
const files = /^@/
const commands = /^\+/
/** Words, not only options, that make a program run something that its name does not tell, or read further words from a file. */
const telling: ReadonlyMap<string, RegExp> = new Map([
  ...['clone', 'fetch', 'pull', 'push', 'ls-remote', 'remote', 'submodule', 'archive'].map((name): [string, RegExp] =>
    [`git ${name}`, name === 'submodule' ? /^foreach$|^[a-z][\w+.-]*::/i : helpers]),
  ...['git merge-index', 'git submodule--helper', 'git shell', 'git web--browse', 'git for-each-repo'].map((name): [string, RegExp] =>
    [name, /^[^-]/]),
  ...[
    'vim', 'vi', 'nvim', 'ex', 'view', 'rview', 'rvim', 'gvim', 'gview', 'vimdiff', 'less', 'zless', 'emacs', 'emacsclient'
  ].map((name): [string, RegExp] => [name, commands]),
  ...['cc', 'c++', 'gcc', 'g++', 'clang', 'clang++', 'ld', 'javac', 'rustc'].map((name): [string, RegExp] => [name, files]),
  ...['mysql', 'mariadb'].map((name): [string, RegExp] => [name, sqlShells]),
  ['curl', /%output\{/],
  ['make', /^[^=!*?[]*[!*?[][^=]*=|^(?:SHELL|\.SHELLFLAGS|MAKEFLAGS|GNUMAKEFLAGS|MAKEFILES)[:?+!]*=|^[\w.-]+[:?+!]*=[^]*[^\w./:@,+%=-]/],
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

/** Settings that `ssh -o` may set: any other may start a program, or connect to another place. */
const sshSetting = new RegExp('^(?:StrictHostKeyChecking|BatchMode|Connect(?:Timeout|ionAttempts)|ServerAlive\\w+|UserKnownHostsFile|LogLevel|\\w+Authentication|' +
  'PreferredAuthentications|IdentitiesOnly|IdentityFile|Port|User|TCPKeepAlive|Compression|NumberOfPasswordPrompts|AddressFamily|CheckHostIP|' +
  'HashKnownHosts|UpdateHostKeys|RequestTTY)[ =]', 'i')

/** Returns the setting that makes ssh, scp or sftp do more than connect, or curl more than fetch; undefined if there is none. */
export function tellingSetting (program: string, args: readonly string[]): string | undefined {
  // curl may read its output format from a file, and the format may name a file to write.
  if (program === 'curl') {
    return pairsOf(args, globalsOf(program) ?? {}).find(({ name, value }) =>
      /^(?:-w|--write-out)$/.test(name) && /^@|\0/.test(value))?.value
  }
  if (!/^(?:ssh|scp|sftp)$/.test(program)) return undefined
  return pairsOf(args, globalsOf(program) ?? {}).find(({ name, value }) => name === '-o' && !sshSetting.test(value))?.value
}

/** A merge strategy is a program whose name git completes; with a slash in it, it may be any program. */
function isMergeProgram (subcommand: string | undefined, args: readonly string[], index: number): boolean {
  const [word = '', before = ''] = [args[index], args[index - 1]]
  if (!/^(?:merge|pull|rebase|cherry-pick|revert)$/.test(subcommand ?? '') || !word.includes('/')) return false
  // In cherry-pick and revert, `-s` means --signoff.
  const takesLetter = !/^(?:cherry-pick|revert)$/.test(subcommand ?? '')
  return /^--strategy=/.test(word) || before === '--strategy' ||
    (takesLetter && (/^-[a-zA-Z]*s[^a-zA-Z]/.test(word) || /^-[a-zA-Z]*s$/.test(before)))
}

/** Returns the index of the word that makes a call run something that its name does not tell; -1 if there is none. */
export function tellingAt (program: string, args: readonly string[], at: number): number {
  const subcommand = subcommands.has(program) ? args[at] : undefined
  const anywhere = telling.get(program)
  const behind = subcommand === undefined ? undefined : telling.get(`${program} ${subcommand}`)
  return args.findIndex((arg, index) => anywhere?.test(arg) === true || (program === 'git' && isMergeProgram(subcommand, args, index)) ||
    (index > at && behind?.test(arg) === true))
}
