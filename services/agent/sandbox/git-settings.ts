import { parseConfiguration, type Setting } from './git-config.js'

/** Settings that do neither, whatever their value. What is not here counts. */
const plain = new RegExp(`^(?:${[
  'core\\.(?:repositoryformatversion|filemode|bare|logallrefupdates|symlinks|ignorecase|precomposeunicode|protecthfs|protectntfs|autocrlf|eol|safecrlf|quotepath|sparsecheckout|sparsecheckoutcone|compression|bigfilethreshold|abbrev|whitespace|longpaths)',
  'user\\.(?:name|email)', 'init\\.defaultbranch', '(?:color|advice|column|index)\\..+', 'gc\\.auto', 'pull\\.(?:rebase|ff)',
  'push\\.(?:default|autosetupremote|followtags)',
  'fetch\\.prune', 'merge\\.(?:ff|conflictstyle)', 'rebase\\.(?:autosquash|autostash)', 'rerere\\.enabled',
  'branch\\..+\\.(?:merge|rebase|description)',
  'extensions\\.(?:objectformat|refstorage|worktreeconfig|noop)'
].join('|')})$`)
/** A name of a remote, not an address or a path in its place. */
const remoteName = /^[A-Za-z0-9_][\w-]*$|^\.$/

const unreadable = 'a line that cannot be read'

/**
 * The settings of a configuration file that are not plain; the last one stands for a rest that git would refuse to read,
 * if there is one.
 */
export function potentSettings (text: string): Setting[] {
  const { settings, unread } = parseConfiguration(text)
  const potent = settings.filter(({ name, value }) => !plain.test(name) && !(/^branch\..+\.remote$/.test(name) && remoteName.test(value)))
  return unread === null ? potent : [...potent, { name: unreadable, value: unread }]
}

/** Settings whose words are not a command line, unless they say that they are one. */
const wordless = /^(?:remote\.[^]+\.(?:url|pushurl|fetch|push)|(?:branch|url)\.[^]+|submodule\.[^]+\.(?:url|path|branch)|alias\.[^]+)$/

/**
 * Paths that a setting's value may mean, as they stand there or with what comes before a "/" left out, since that may be a
 * variable: the more the better, for who looks whether they are there. `home` stands for "~" and $HOME.
 */
export function mentioned ({ name, value }: Setting, home: string | undefined): string[] {
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

/** What follows each of the last slashes. */
function endings (word: string): string[] {
  const parts = word.split('/').filter((part) => part !== '')
  return parts.slice(-mostEndings).map((_, index, last) => last.slice(index).join('/'))
}
