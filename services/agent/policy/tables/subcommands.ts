import { type Options } from './options.js'

/** Programs whose first plain word says what they do; the options here take a value and may stand before it. */
export const subcommands: ReadonlyMap<string, Options> = new Map<string, Options>([
  ['git', { short: 'Cc', long: ['git-dir', 'work-tree', 'namespace', 'config-env', 'exec-path', 'super-prefix'] }],
  ['hg', { short: 'R', long: ['repository', 'cwd', 'config'] }],
  ['svn', {}],
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
  ['pipx', {}],
  ['pipenv', {}],
  ['uv', { long: ['directory', 'project', 'cache-dir', 'config-file'] }],
  ['uvx', { long: ['from', 'with', 'python'] }],
  ['poetry', { short: 'CP', long: ['directory', 'project'] }],
  ['hatch', { short: 'e', long: ['env'] }],
  ['pdm', { short: 'p', long: ['project'] }],
  ['rye', {}],
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
  ['launchctl', {}],
  ['kubectl', { short: 'ns', long: ['namespace', 'context', 'cluster', 'kubeconfig', 'server', 'user', 'token'] }],
  ['helm', { short: 'n', long: ['namespace', 'kube-context', 'kubeconfig'] }],
  ['terraform', {}],
  ['tofu', {}],
  ['ansible', {}],
  ['aws', { long: ['profile', 'region', 'endpoint-url', 'output'] }],
  ['gcloud', { long: ['project', 'account', 'configuration'] }],
  ['az', {}],
  ['ip', { short: 'nf', long: ['netns', 'family'] }],
  ['direnv', {}],
  ['rbenv', {}],
  ['pyenv', {}],
  ['nodenv', {}],
  ['asdf', {}],
  ['mise', {}],
  ['perf', {}],
  ['nix', {}],
  ['openssl', {}]
])

/**
 * Options that make a program run something its name does not tell: an editor, a pager, a filter, a transport. The
 * first kind stands before a subcommand, the second anywhere.
 */
const reroutingBefore: ReadonlyMap<string, RegExp> = new Map([
  ['git', /^(?:-c|--config-env|--exec-path=)/],
  ['cargo', /^--config/],
  ['hg', /^--config/],
  ['npx', /^(?:-c|--call)/]
])
const rerouting: ReadonlyMap<string, RegExp> = new Map([
  ['git clone', /^(?:-c|--conf|-u|--upload-p|--templ)/],
  ['git fetch', /^--upload-p/],
  ['git pull', /^--upload-p/],
  ['git ls-remote', /^--(?:upload-p|exec)/],
  ['git push', /^--(?:receive-p|exec)/],
  ['git archive', /^--exec/],
  ['git init', /^--templ/],
  ['git rebase', /^(?:-x|--exec)/],
  ['git grep', /^(?:-O|--open-files-in-pager)/],
  ['git difftool', /^(?:-x|--extcmd)/],
  ['git submodule', /^foreach$/],
  ['git filter-branch', /^--(?:tree|index|msg|parent|commit|tag-name|env)-filter|^--setup/],
  ['git filter-repo', /-callback/],
  ['git send-email', /^--(?:to-cmd|cc-cmd|smtp-server)/],
  ['tar', /^(?:-[a-zA-Z]*I|--(?:use-com|to-com|checkpoint-action|rsh-com|rmt-com|info-script|new-volume-script))|^-[a-zA-Z]*F/],
  ['rsync', /^(?:-[a-zA-Z]*e|--rsh|--rsync-path)/],
  ['ssh', /^-[a-zA-Z]*F|(?:proxy|local|knownhosts)command|include/i],
  ['scp', /^-[a-zA-Z]*[FS]|(?:proxy|local|knownhosts)command|include/i],
  ['sftp', /^-[a-zA-Z]*[FSb]|(?:proxy|local|knownhosts)command|include/i],
  ['bat', /^--pager/],
  ['ag', /^--pager/],
  ['ack', /^--(?:pager|output)/],
  ['rg', /^--(?:pre|hostname-bin)(?:=|$)/],
  ['sort', /^--compress-p/],
  ['split', /^--filter/],
  ['zip', /^-[a-zA-Z]*TT|^--unzip-command/],
  ['man', /^(?:-[a-zA-Z]*[PH]|--pager|--html)/],
  ['curl', /^(?:-K|--config)/],
  ['wget', /^(?:-e|--execute|--use-askpass|--config)/],
  ['make', /^(?:--eval|-E)|^(?:SHELL|\.SHELLFLAGS|MAKEFLAGS)[:?+]*=/],
  ['fd', /^(?:-[a-zA-Z]*[xX]|--exec)/],
  ['find', /^-files0-from/],
  ['vim', /^(?:-[cS]|--cmd|\+)/],
  ['vi', /^(?:-[cS]|--cmd|\+)/],
  ['nvim', /^(?:-[cSl]|--cmd|\+)/],
  ['ex', /^(?:-[cS]|--cmd|\+)/],
  ['emacs', /^--(?:eval|execute|load|funcall|batch|script)|^-[lf]$/],
  ['gdb', /^-{1,2}(?:ex|eval-command|x|command|iex)/],
  ['less', /^\+/],
  ['node', /^(?:-r|--require|--import|--loader|--experimental-loader)/],
  ['tcpdump', /^-[a-zA-Z]*z/],
  ['npm config', /^(?:script-shell|shell|editor|git|node-options|set)$/],
  ['npm exec', /^(?:-c|--call)/],
  ['tmux', /./],
  ['screen', /./],
  ['nix-shell', /^--(?:run|command)/],
  ['expect', /^-c/]
])

/** Where the option stands that makes a call run something its name does not tell; -1 when there is none. */
export function reroutedAt (program: string, args: readonly string[], at: number): number {
  const before = reroutingBefore.get(program)
  const early = before === undefined ? -1 : args.findIndex((arg, index) => index < at && before.test(arg))
  if (early !== -1) return early
  const subcommand = subcommands.has(program) ? args[at] : undefined
  const anywhere = rerouting.get(subcommand === undefined ? program : `${program} ${subcommand}`) ?? rerouting.get(program)
  if (anywhere === undefined) return -1
  const from = subcommand === undefined ? 0 : at + 1
  return args.findIndex((arg, index) => index >= from && anywhere.test(arg))
}
