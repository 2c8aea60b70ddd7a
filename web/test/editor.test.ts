import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import t from '../../test/support/harness.js'
import { indentOf } from '../src/side/editor/extensions.js'

const built = 'web/built'
const files = readdirSync(built).filter((name) => name.endsWith('.js'))
const textOf = (name: string): string => readFileSync(join(built, name), 'utf8')
const sizeOf = (name: string): number => gzipSync(readFileSync(join(built, name)), { level: 9 }).byteLength
const named = (text: string, pattern: RegExp): string[] => [...text.matchAll(pattern)].flatMap(([, name]) => name ?? []).filter((name) => files.includes(name))

/** Returns a file of the app with everything that it imports at once. */
function withImports (name: string, found: Set<string> = new Set()): Set<string> {
  if (found.has(name)) return found
  found.add(name)
  for (const other of named(textOf(name), /(?:from|import)\s*["'`]\.\/([\w.-]+\.js)["'`]/g)) withImports(other, found)
  return found
}

t.test('the editor with any of its languages weighs at most 180 KiB, and no screen but its own loads a part of it', async (t) => {
  const [code] = files.filter((name) => name.startsWith('CodeEditor-'))
  const [panel] = files.filter((name) => name.startsWith('SidePanel-'))
  const there = withImports(panel!)
  const editor = [...withImports(code!)].filter((name) => !there.has(name))
  t.ok(editor.some((name) => textOf(name).includes('cm-activeLine')), 'what is weighed is the editor')
  t.notOk([...there].some((name) => textOf(name).includes('cm-activeLine')))
  const languages = named(textOf(code!), /import\(\s*["'`]\.\/([\w.-]+\.js)["'`]\s*\)/g)
  t.ok(languages.length > 15)
  for (const language of languages) {
    const all = new Set([...editor, ...withImports(language)].filter((name) => !there.has(name)))
    const bytes = [...all].reduce((sum, name) => sum + sizeOf(name), 0)
    t.ok(bytes <= 180 * 1024, `${language}: ${Math.round(bytes / 1024)} KiB`)
  }
})

t.test('a new line is indented as the others of the text are', async (t) => {
  t.equal(indentOf('a\n\tb\n\tc\n  d\n'), '\t')
  t.equal(indentOf('a\n    b\n        c\n'), '    ')
  t.equal(indentOf('a\n  b\n'), '  ')
  t.equal(indentOf(''), '  ')
})
