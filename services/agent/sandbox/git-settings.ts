/** A setting of a git configuration that can make git run something, or work somewhere else. */
export interface Setting { name: string, value: string }

/** Settings that do neither, whatever their value. What is not here counts. */
const plain = new RegExp(`^(?:${[
  'core\\.(?:repositoryformatversion|filemode|bare|logallrefupdates|symlinks|ignorecase|precomposeunicode|protecthfs|protectntfs|autocrlf|eol|safecrlf|quotepath|sparsecheckout|sparsecheckoutcone|compression|bigfilethreshold|abbrev|whitespace|longpaths)',
  'user\\.(?:name|email)', 'init\\.defaultbranch', '(?:color|advice|column|index)\\..+', 'gc\\.auto', 'pull\\.(?:rebase|ff)', 'push\\.(?:default|autosetupremote|followtags)',
  'fetch\\.prune', 'merge\\.(?:ff|conflictstyle)', 'rebase\\.(?:autosquash|autostash)', 'rerere\\.enabled', 'branch\\..+\\.(?:merge|rebase|description)',
  'extensions\\.(?:objectformat|refstorage|worktreeconfig|noop)'
].join('|')})$`)
/** A name of a remote, not an address or a path in its place. */
const remoteName = /^[A-Za-z0-9_][\w-]*$|^\.$/

/**
 * The settings of a configuration file that are not plain. Reads only the simple form that git itself writes; any other
 * line counts as a setting that cannot be read, which is never plain.
 */
export function potentSettings (text: string): Setting[] {
  const found: Setting[] = []
  let section: string | null = null
  for (const line of text.split('\n').map((raw) => raw.trim())) {
    if (line === '' || /^[#;]/.test(line)) continue
    const header = /^\[([A-Za-z0-9.-]+)(?:[ \t]+"((?:[^"\\]|\\.)*)")?\]$/.exec(line)
    if (header !== null) {
      section = header[2] === undefined ? header[1]!.toLowerCase() : `${header[1]!.toLowerCase()}.${header[2]}`
      continue
    }
    const setting = /^([A-Za-z][A-Za-z0-9-]*)[ \t]*(?:=[ \t]*(.*))?$/.exec(line)
    if (section === null || setting === null || line.endsWith('\\')) {
      found.push({ name: 'a line that cannot be read', value: line })
      continue
    }
    const name = `${section}.${setting[1]!.toLowerCase()}`
    const value = setting[2] ?? ''
    const isPlain = plain.test(name) || (/^branch\..+\.remote$/.test(name) && remoteName.test(value))
    if (!isPlain) found.push({ name, value })
  }
  return found
}
