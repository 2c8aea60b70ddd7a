import { globalsOf, optionsOf } from './known.js'
import { type Options, pairsOf } from './options.js'
import { isOption, Spelling, takenBy } from './spelling.js'

/** Programs whose first plain word says what they do, with the options that take a value and may stand before it. */
export const subcommands: ReadonlyMap<string, Options> = new Map((
  'git hg svn gh glab npm npx pnpm yarn bunx bun deno docker podman docker-compose apt apt-get dnf yum apk brew snap flatpak pip pipx pipenv uv uvx ' +
  'poetry hatch pdm rye conda cargo rustup go gem bundle composer dotnet mvn gradle systemctl service launchctl kubectl helm terraform tofu ansible aws ' +
  'gcloud az ip direnv rbenv pyenv nodenv asdf mise perf nix openssl rclone '
).trim().split(' ').map((program) => [program, globalsOf(program) ?? {}]))

/** Where the names of what is worked on follow one another (`gcloud compute instances list`), the word that ends them. */
const verb = 'list|describe|show|create|delete|remove|update|add|get|set|unset|reset|start|stop|restart|run|deploy|ssh|scp|cp|mv|rm|ls|cat|login|activate|enable|disable|' +
  'upload|download|import|export|build|submit|invoke|call|read|write|execute|connect|(?:list|get|set|add|remove|update|delete|create|print|show|start|configure|activate)-[a-z-]+'

/** A word that is only known when the command runs. */
const openWord = /[\0*?[\s]|[@+!]\(/

/** Commands that only say what is worked on: the next word says what is done, and belongs to the key. */
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

/** Commands whose next word says what is done as well, and does not belong to the key. */
const verbBehind = /^git (?:bisect|bundle|commit-graph|config|credential|multi-pack-index|notes|reflog|refs|remote|sparse-checkout|stash|submodule|worktree)$/

/** Whether such a word may become another one when the shell looks for files: with an option before it, it may be the second. */
function isVerbOpen (words: readonly string[]): boolean {
  const first = words.findIndex((word) => !isOption(word))
  return first !== -1 && words.slice(first, first + (first === 0 ? 1 : 2)).some((word) => openWord.test(word))
}

/** What stands between such a command and the next word, where that means something else behind it. */
const between: ReadonlyMap<string, Spelling> = new Map(['docker compose', 'podman compose'].map((command) => [command, new Spelling(
  '-fp: --file= --project-name= --profile= --env-file= --project-directory= --ansi= --progress= --parallel= --all-resources --compatibility --dry-run')]))

/**
 * What a call does, in as many of its words as that takes: `gh pr merge`. `end` is where the next one
 * stands; null when the words cannot be told.
 */
export function nameOf (program: string, args: readonly string[], at: number): { name: string, end: number } | null {
  let name = `${program} ${args[at] ?? ''}`
  let end = at + 1
  while (groups.some((group) => group.test(name))) {
    const known = between.has(name) ? [between.get(name) ?? noOptions] : optionsOf(program, args[at]) ?? [globalsOf(program) ?? noOptions]
    let next = end
    for (let word = args[next]; word !== undefined && isOption(word); word = args[next]) {
      const takes = takenBy(known, word)
      // What it is the value of cannot be told, unless the words have said enough already.
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

/** They change what other programs go by: where they go, as whom, or what they run. */
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

/** True when a call changes settings that other calls go by; `name` as in nameOf. */
export const changesOthers = (name: string): boolean => changing.test(name)

const noOptions = new Spelling('')

const sqlShells = /(?:^|[\s;])(?:system|source|tee|pager)\s|\\[!.PT]/i
const helpers = /^[a-z][\w+.-]*::/i
const files = /^@/
const commands = /^\+/
/** Words beside options that make a program run what its name does not tell, or hand it a file of further words. */
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

/** What `ssh -o` may say: anything else may start a program, or lead elsewhere. */
const sshSetting = new RegExp('^(?:StrictHostKeyChecking|BatchMode|Connect(?:Timeout|ionAttempts)|ServerAlive\\w+|UserKnownHostsFile|LogLevel|\\w+Authentication|' +
  'PreferredAuthentications|IdentitiesOnly|IdentityFile|Port|User|TCPKeepAlive|Compression|NumberOfPasswordPrompts|AddressFamily|CheckHostIP|' +
  'HashKnownHosts|UpdateHostKeys|RequestTTY)[ =]', 'i')

/** The setting that makes ssh, or what is built on it, do more than connect, and curl more than fetch; undefined when there is none. */
export function tellingSetting (program: string, args: readonly string[]): string | undefined {
  // What curl is to print may be in a file, and say where to write it.
  if (program === 'curl') {
    return pairsOf(args, globalsOf(program) ?? {}).find(({ name, value }) =>
      /^(?:-w|--write-out)$/.test(name) && /^@|\0/.test(value))?.value
  }
  if (!/^(?:ssh|scp|sftp)$/.test(program)) return undefined
  return pairsOf(args, globalsOf(program) ?? {}).find(({ name, value }) => name === '-o' && !sshSetting.test(value))?.value
}

/** A way to merge is a program whose name git completes; with a folder in it, it is any program. */
function isMergeProgram (subcommand: string | undefined, args: readonly string[], index: number): boolean {
  const [word = '', before = ''] = [args[index], args[index - 1]]
  if (!/^(?:merge|pull|rebase|cherry-pick|revert)$/.test(subcommand ?? '') || !word.includes('/')) return false
  // Elsewhere the letter signs off.
  const takesLetter = !/^(?:cherry-pick|revert)$/.test(subcommand ?? '')
  return /^--strategy=/.test(word) || before === '--strategy' ||
    (takesLetter && (/^-[a-zA-Z]*s[^a-zA-Z]/.test(word) || /^-[a-zA-Z]*s$/.test(before)))
}

/** Where the word stands that makes a call run something its name does not tell; -1 when there is none. */
export function tellingAt (program: string, args: readonly string[], at: number): number {
  const subcommand = subcommands.has(program) ? args[at] : undefined
  const anywhere = telling.get(program)
  const behind = subcommand === undefined ? undefined : telling.get(`${program} ${subcommand}`)
  return args.findIndex((arg, index) => anywhere?.test(arg) === true || (program === 'git' && isMergeProgram(subcommand, args, index)) ||
    (index > at && behind?.test(arg) === true))
}
