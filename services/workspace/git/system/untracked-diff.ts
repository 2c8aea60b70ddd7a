import { lstat, readlink } from 'node:fs/promises'
import { join } from 'node:path'
import { contentsOf, isBinary, linesIn } from '../contents.js'
import { type Repository } from './repository.js'

export interface AddedFile { text: string, additions: number, binary: boolean, tooLarge: boolean }

/** Returns an untracked file as `git diff` would show it: all added. Returns null if git could not store it. */
export async function addedFile (repository: Repository, file: string, maxBytes: number): Promise<AddedFile | null> {
  const target = await linkTarget(repository, file)
  const contents = target === null ? await contentsOf(repository, file, maxBytes) : { bytes: target, isExecutable: false }
  if (contents === null) return null
  if (contents === 'too-large') return { text: '', additions: 0, binary: false, tooLarge: true }
  const { bytes, isExecutable } = contents
  const mode = target === null ? isExecutable ? '100755' : '100644' : '120000'
  const head = `diff --git ${quoted(`a/${file}`)} ${quoted(`b/${file}`)}\nnew file mode ${mode}\n`
  if (target === null && isBinary(bytes)) {
    return { text: `${head}Binary files /dev/null and ${quoted(`b/${file}`)} differ\n`, additions: 0, binary: true, tooLarge: false }
  }
  const additions = linesIn(bytes)
  return { text: additions === 0 ? head : head + body(file, bytes, additions), additions, binary: false, tooLarge: false }
}

async function linkTarget ({ top }: Repository, file: string): Promise<Buffer | null> {
  const at = join(top, file)
  const isLink = await lstat(at).then((found) => found.isSymbolicLink(), () => false)
  return isLink ? await readlink(at, { encoding: 'buffer' }).catch(() => null) : null
}

function body (file: string, bytes: Buffer, additions: number): string {
  const text = bytes.toString()
  const endsLine = text.endsWith('\n')
  const lines = (endsLine ? text.slice(0, -1) : text).replaceAll('\n', '\n+')
  // A tab marks the end of a name that contains a space.
  const name = `${quoted(`b/${file}`)}${file.includes(' ') ? '\t' : ''}`
  return `--- /dev/null\n+++ ${name}\n@@ -0,0 +1${additions === 1 ? '' : `,${additions}`} @@\n+${lines}\n${endsLine ? '' : '\\ No newline at end of file\n'}`
}

const escapes: Readonly<Record<string, string>> = {
  '\x07': 'a', '\b': 'b', '\t': 't', '\n': 'n', '\v': 'v', '\f': 'f', '\r': 'r', '"': '"', '\\': '\\'
}

/** Quotes a name as git does in a diff. */
function quoted (name: string): string {
  // eslint-disable-next-line no-control-regex -- control characters must be quoted
  const special = /[\u0000-\u001f\u007f"\\]/g
  if (!special.test(name)) return name
  return `"${name.replace(special, (character) => `\\${escapes[character] ?? character.charCodeAt(0).toString(8).padStart(3, '0')}`)}"`
}
