import { parseConfiguration, type Setting } from './git-config.js'

/** Settings that neither run a program nor lead git elsewhere, whatever their value. Any other setting counts. */
const plain = new RegExp(`^(?:${[
  'core\\.(?:repositoryformatversion|filemode|bare|logallrefupdates|symlinks|ignorecase|precomposeunicode|protecthfs|protectntfs|autocrlf|eol|safecrlf|quotepath|sparsecheckout|sparsecheckoutcone|compression|bigfilethreshold|abbrev|whitespace|longpaths)',
  'user\\.(?:name|email)', 'init\\.defaultbranch', '(?:color|advice|column|index)\\..+', 'gc\\.auto', 'pull\\.(?:rebase|ff)',
  'push\\.(?:default|autosetupremote|followtags)',
  'fetch\\.prune', 'merge\\.(?:ff|conflictstyle)', 'rebase\\.(?:autosquash|autostash)', 'rerere\\.enabled',
  'branch\\..+\\.(?:merge|rebase|description)',
  'extensions\\.(?:objectformat|refstorage|worktreeconfig|noop)'
].join('|')})$`)
/** Matches the name of a remote, as opposed to an address or a path. */
const remoteName = /^[A-Za-z0-9_][\w-]*$|^\.$/

const unreadable = 'a line that cannot be read'

/**
 * Returns the settings of a configuration file that are not plain. If git would refuse to read the rest of it, the last one stands for
 * that rest.
 */
export function potentSettings (text: string): Setting[] {
  const { settings, unread } = parseConfiguration(text)
  const potent = settings.filter(({ name, value }) => !plain.test(name) && !(/^branch\..+\.remote$/.test(name) && remoteName.test(value)))
  return unread === null ? potent : [...potent, { name: unreadable, value: unread }]
}

/** Settings whose value is not a command line, unless it is marked as one (`!` in an alias, `::` in an address). */
const wordless = /^(?:remote\.[^]+\.(?:url|pushurl|fetch|push)|(?:branch|url)\.[^]+|submodule\.[^]+\.(?:url|path|branch)|alias\.[^]+)$/

/**
 * Returns the paths that a setting's value may mean, as written, or without the part before a "/", which may be a variable. Too many do no
 * harm, because the caller checks which of them exist. `home` replaces "~" and $HOME.
 */
export function mentionedPaths ({ name, value }: Setting, home: string | undefined): string[] {
  const text = home === undefined
    ? value
    : value.replace(/(^|[\s"'=:])(?:~|\$HOME|\$\{HOME\})(?=\/)/g, (_, before: string) => before + home)
  const isCommand = !wordless.test(name) || value.includes('::') || (name.startsWith('alias.') && value.startsWith('!'))
  const quoted = [...text.matchAll(/"((?:[^"\\]|\\.)+)"|'([^']+)'/g)].map(([, double, single]) => double ?? single ?? '')
  const words = [text, ...quoted, ...text.split(/(?<!\\)[\s"'`;|&()!<>]+/), ...text.split(/[\s"'`;|&()!<>={}$:,@%]+/)].map((word) =>
    word.replace(/\\(.)/g, '$1'))
  const paths = isCommand ? words.flatMap((word) => [word, ...endings(word)]) : words.filter((word) => word.includes('/'))
  return [...new Set(paths)].filter((path) => !/^[./]*$/.test(path) && !path.includes('\0') && path.length < mostPath)
}

const mostPath = 1_000
const mostEndings = 16

/** Returns the rest of a word after each of its last slashes. */
function endings (word: string): string[] {
  const parts = word.split('/').filter((part) => part !== '')
  return parts.slice(-mostEndings).map((_, index, last) => last.slice(index).join('/'))
}
