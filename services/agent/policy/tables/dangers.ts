import { fetchOptions, hasFetchOption } from './fetchers.js'
import { readsSettings } from './git-config.js'
import { hasOption } from './options.js'

/** A form of a command that does more harm than its plain form, so that a grant of one must not cover the other. */
interface Danger {
  /** The part of the key after the command; '' = the plain key itself. */
  form: string
  /** @param unseen whether some arguments are not visible, or are known only while it runs */
  when (args: readonly string[], unseen: boolean): boolean
  /** Set if its effects inside the workspace cannot be undone. */
  lasting?: true
  /** Set if this is a mild form, whose key may be granted for ever. */
  mild?: true
}

const always = (): boolean => true
/** For a plain key that applies only if the mild form does not. */
const never = (): boolean => false
const option = (letters: string, ...names: string[]) => (args: readonly string[]): boolean => hasOption(args, letters, ...names)
const first = (...words: string[]) => ([word = '']: readonly string[]): boolean => words.includes(word)
const wild = (args: readonly string[]): boolean => args.some((arg) => !arg.startsWith('-') && /[*?[\0]/.test(arg))
const isRecursive = option('rR', '--recursive')
const setsOwnerRights = (args: readonly string[]): boolean =>
  args.some((arg) => /^[ugoa]*[+=][rwxXt]*s/.test(arg) || /^[0-7]?[2-7][0-7]{3}$/.test(arg))

/** Adds the dash that the first word of `tar` may lack: `tar xPf` is `tar -xPf`. */
const dashed = ([first = '', ...rest]: readonly string[]): readonly string[] => [/^[a-zA-Z]+$/.test(first) ? `-${first}` : first, ...rest]

/** Returns whether a `git checkout` discards changes: it does if it gets files, which only their spelling distinguishes from branches. */
function discards (args: readonly string[]): boolean {
  if (hasOption(args, 'f', '--force', '--ours', '--theirs', '--pathspec-from-file') || args.includes('--') || args.includes('-B')) {
    return true
  }
  const operands = args.filter((arg) => !arg.startsWith('-'))
  const looksLikeFile = operands.some((arg) => /^\.{0,2}$|^\.{0,2}\/|^:|\/$|[*?[\0]|\.[a-z]\w{0,4}$/i.test(arg))
  return looksLikeFile || (operands.length > 1 && !hasOption(args, 'bt', '--orphan', '--track'))
}

const opensHost = (args: readonly string[]): boolean => args.some((arg, index) =>
  /^--(?:privileged|cap-add|device|security-opt|pid=host|net(?:work)?=host|ipc=host|userns=host|uts=host|volumes-from)/.test(arg) ||
  (arg === 'host' && /^--(?:pid|net|network|ipc|userns|uts)$/.test(args[index - 1] ?? '')) || /(?:source|src)=\//.test(
    arg
  ) || /^(?:-v|--volume=)?\/(?:[a-z]+)?:|docker\.sock/.test(arg))

/** Words that mean removal in the tools of hosting services. */
const removal = /^(?:delete|remove|rm|rb|destroy|terminate|purge|prune|uninstall|nuke)(?:-[a-z-]+)?$/

/** The closed table of dangerous forms, by program, or by program and subcommand. A call gets the key of each form that it has. */
const dangers: ReadonlyMap<string, Danger[]> = new Map<string, Danger[]>([
  // files
  ['rm', [{
    form: '-r', when: isRecursive, lasting: true
  }, { form: '', when: (args, unseen) => !isRecursive(args) && (unseen || wild(args)), lasting: true }]],
  ['shred', [{ form: '', when: always, lasting: true }]],
  ['truncate', [{ form: '', when: always, lasting: true }]],
  ['dd', [{ form: '', when: (args) => args.some((arg) => arg.startsWith('of=')), lasting: true }]],
  ['rsync', [{
    form: '--delete',
    when: option('', '--delete', '--delete-after', '--delete-before', '--delete-during', '--delete-excluded', '--remove-source-files'),
    lasting: true
  }]],
  ['chmod', [{ form: '-R', when: option('R', '--recursive') }, { form: '+s', when: setsOwnerRights }]],
  ['chown', [{ form: '-R', when: option('R', '--recursive') }]],
  ['chgrp', [{ form: '-R', when: option('R', '--recursive') }]],
  ...['tar', 'gtar', 'bsdtar'].map((program): [string, Danger[]] => [program, [
    { form: '--absolute-names', when: (args) => hasOption(dashed(args), 'P', '--absolute-names', '--absolute-paths') },
    { form: '--remove-files', when: option('', '--remove-files'), lasting: true }
  ]]),
  ['unzip', [{ form: '-:', when: (args) => args.some((arg) => /^-[^-]*:/.test(arg)) }]],
  // These options read the names of files from a file, which is not read here.
  ...['xz', 'unxz', 'lzma', 'unlzma'].map((program): [string, Danger[]] =>
    [program, [{ form: '--files', when: (args) => args.some((arg) => /^--fi/.test(arg)) }]]),
  ['date', [{ form: '--set', when: (args) => args.some((arg) => /^(?:--s|-[uR]*s|\d{8})/.test(arg)) }]],
  // git
  ['git push', [
    {
      form: '--force',
      when: (args) => hasOption(args, 'f', '--force', '--force-with-lease', '--mirror') || args.some((arg) => arg.startsWith('+'))
    },
    { form: '--delete', when: (args) => hasOption(args, 'd', '--delete', '--prune', '--mirror') || args.some((arg) => /^:./.test(arg)) }
  ]],
  ['git reset', [{ form: '--hard', when: option('', '--hard', '--merge'), lasting: true }]],
  ['git clean', [{
    form: '--dry-run', when: (args) => hasOption(args, 'n', '--dry-run') && !args.includes('--no-dry-run'), mild: true
  }, { form: '', when: never, lasting: true }]],
  ['git checkout', [{ form: '--', when: discards, lasting: true }]],
  ['git restore', [
    {
      form: '--staged',
      when: (args) => hasOption(args, 'S', '--staged') && !hasOption(args, 'W', '--worktree') && !args.includes('--no-staged'), mild: true
    },
    { form: '', when: never, lasting: true }
  ]],
  ['git switch', [{ form: '--force', when: option('fC', '--force', '--force-create', '--discard-changes'), lasting: true }]],
  ['git branch', [{
    form: '-D', when: (args) => hasOption(args, 'DMCf', '--force') ||
    (hasOption(args, 'd', '--delete') && hasOption(args, 'rf', '--force', '--remotes')), lasting: true
  }]],
  ['git tag', [{ form: '-d', when: option('df', '--delete', '--force'), lasting: true }]],
  ['git stash', [{ form: 'drop', when: first('drop'), lasting: true }, { form: 'clear', when: first('clear'), lasting: true }]],
  ['git reflog', [{ form: 'expire', when: first('expire'), lasting: true }, { form: 'delete', when: first('delete'), lasting: true }]],
  ['git gc', [{ form: '--prune', when: (args) => args.some((arg) => /^--prune|^--agg/.test(arg)), lasting: true }]],
  ['git prune', [{ form: '', when: always, lasting: true }]],
  ['git update-ref', [{ form: '-d', when: option('d', '--stdin'), lasting: true }]],
  ['git worktree', [{ form: 'remove --force', when: (args) => args[0] === 'remove' && hasOption(args, 'f', '--force'), lasting: true }]],
  ['git rm', [{ form: '-f', when: option('f', '--force'), lasting: true }]],
  ['git read-tree', [{ form: '--reset', when: option('', '--reset'), lasting: true }]],
  ['git checkout-index', [{ form: '-f', when: option('f', '--force'), lasting: true }]],
  ['git filter-branch', [{ form: '', when: always, lasting: true }]],
  ['git filter-repo', [{ form: '', when: always, lasting: true }]],
  ['git config', [{ form: '--get', when: readsSettings, mild: true }, { form: '--global', when: option('', '--global', '--system') }]],
  // packages
  ...['install', 'i', 'add', 'uninstall', 'remove', 'update'].flatMap((word) => ['npm', 'pnpm', 'bun'].map((program): [string, Danger[]] =>
    [`${program} ${word}`, [{ form: '--global', when: option('g', '--global', '--location') }]])),
  ...['publish', 'unpublish', 'deprecate', 'owner', 'token', 'dist-tag', 'access'].flatMap((word) =>
    ['npm', 'pnpm', 'yarn', 'bun'].map((program): [string, Danger[]] => [`${program} ${word}`, [{ form: '', when: always }]])),
  ['yarn global', [{ form: '', when: always }]],
  ['pip install', [{ form: '--break-system-packages', when: option('', '--break-system-packages') }]],
  ['cargo publish', [{ form: '', when: always }]],
  ['cargo yank', [{ form: '', when: always }]],
  ['gem push', [{ form: '', when: always }]],
  ['poetry publish', [{ form: '', when: always }]],
  ['uv publish', [{ form: '', when: always }]],
  // the network
  ['curl', [
    { form: '--upload-file', when: (args) => hasFetchOption('curl', args, fetchOptions.curlUploads) },
    { form: '--data', when: (args) => hasFetchOption('curl', args, fetchOptions.curlSends) }
  ]],
  ['wget', [
    { form: '--post-file', when: (args) => args.some((arg) => /^--(?:post|body)-file/.test(arg)) },
    { form: '--post-data', when: (args) => args.some((arg) => /^--(?:post|body)-data|^--method/.test(arg)) }
  ]],
  ['ssh', [{ form: '-R', when: option('RLDw') }]],
  ['ip netns', [{ form: 'exec', when: (args) => args.includes('exec') }]],
  // machines and services
  ['docker run', [{ form: '--privileged', when: opensHost }]],
  ['docker create', [{ form: '--privileged', when: opensHost }]],
  ['docker exec', [{ form: '--privileged', when: option('', '--privileged') }]],
  ['podman run', [{ form: '--privileged', when: opensHost }]],
  ['podman create', [{ form: '--privileged', when: opensHost }]],
  ...['docker', 'podman'].map((program): [string, Danger[]] => [`${program} container`, [{ form: '--privileged', when: opensHost }]]),
  ...['docker compose down', 'podman compose down', 'docker-compose down'].map((command): [string, Danger[]] =>
    [command, [{ form: '--volumes', when: option('v', '--volumes', '--rmi') }]]),
  ['docker rm', [{ form: '-f', when: option('fv', '--force', '--volumes') }]],
  ['docker rmi', [{ form: '-f', when: option('f', '--force') }]],
  ['docker push', [{ form: '', when: always }]],
  ['kubectl delete', [{
    form: '--all', when: option('A', '--all', '--all-namespaces')
  }, { form: '', when: (args) => !hasOption(args, 'A', '--all', '--all-namespaces') }]],
  ['kubectl drain', [{ form: '', when: always }]],
  ['kubectl replace', [{ form: '--force', when: option('', '--force') }]],
  ['helm uninstall', [{ form: '', when: always }]],
  ['terraform destroy', [{ form: '', when: always }]],
  ['tofu destroy', [{ form: '', when: always }]],
  ['terraform apply', [{ form: '-destroy', when: (args) => args.some((arg) => /^--?destroy/.test(arg)) }]],
  ...['terraform', 'tofu'].map((program): [string, Danger[]] => [`${program} state push`, [{ form: '', when: always }]]),
  ...[
    'sync', 'bisync', 'move', 'moveto', 'delete', 'deletefile', 'purge', 'rmdir', 'rmdirs', 'cleanup', 'dedupe'
  ].map((word): [string, Danger[]] => [`rclone ${word}`, [{ form: '', when: always }]]),
  ['yarn npm publish', [{ form: '', when: always }]],
  ['crontab', [{ form: '-l', when: option('l'), mild: true }, { form: '-r', when: option('r') }]],
  ['gh api', [{ form: '--method', when: option('XfF', '--method', '--field', '--raw-field', '--input') }]]
])

/** Tools with subcommands below their subcommands (`gh repo delete`), where the verb decides. */
const nested: ReadonlySet<string> = new Set(['gh', 'glab', 'docker', 'podman', 'aws', 'gcloud', 'az', 'helm', 'terraform', 'tofu'])

/** Keys of the dangerous forms, which can be granted for a session at most. */
export const dangerKeys: ReadonlySet<string> = new Set([...dangers].flatMap(([command, forms]) => forms.filter(({ mild }) => mild !== true)
  .map(({ form }) => keyOf(command, form))))

/** Returns whether a key is of a removal in a tool with nested subcommands. */
export function isRemovalKey (key: string): boolean {
  const [program = '', , ...verbs] = key.split(' ')
  return nested.has(program.slice('cmd:'.length)) && verbs.some((verb) => removal.test(verb))
}

/**
 * Returns the keys of one command.
 *
 * @param name its program and subcommands: `git push`, `docker compose down`
 * @param args the words after those
 * @param read whether all of its options are known
 */
export function keysOf (name: string, args: readonly string[], unseen: boolean, read = true): Array<{ key: string, lasting: boolean }> {
  const forms = dangers.get(name) ?? dangers.get(name.split(' ', 2).join(' ')) ?? []
  // A call with an unknown option never counts as the mild form.
  const isMild = read && forms.some(({ mild, when }) => mild === true && when(args, unseen))
  const keys = forms.filter(({ form, mild, when }) =>
    mild === true ? isMild : (!isMild && form === '' && forms.some((other) => other.mild)) || when(args, unseen))
    .map(({ form, lasting }) => ({ key: keyOf(name, form), lasting: lasting === true }))
  return keys.length > 0 ? keys : [{ key: keyOf(name, ''), lasting: false }]
}

function keyOf (command: string, form: string): string {
  return form === '' ? `cmd:${command}` : `cmd:${command} ${form}`
}
