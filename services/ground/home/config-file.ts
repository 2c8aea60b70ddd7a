import { mkdir, open, readFile, realpath, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { isMap, isSeq, parseDocument, type Document } from 'yaml'
import { type Clock } from '../clock.js'
import { Conflict } from '../errors.js'

/** One write at a time per file, so that two additions never overwrite each other. */
const queues = new Map<string, Promise<void>>()

/**
 * Adds strings to a list of a YAML file, creating file and list as needed, and keeps comments and everything else. The
 * file is replaced as a whole: after a crash it is the old one or the new one. Throws Conflict when it does not parse.
 */
export async function addToConfigList (path: string, key: [string, ...string[]], items: string[], clock: Clock): Promise<void> {
  const previous = queues.get(path) ?? Promise.resolve()
  const current = previous.catch(() => {}).then(() => addNow(path, key, items, clock))
  queues.set(path, current)
  try {
    await current
  } finally {
    if (queues.get(path) === current) queues.delete(path)
  }
}

async function addNow (path: string, key: [string, ...string[]], items: string[], clock: Clock): Promise<void> {
  const document = parseDocument(await readIfThere(path))
  if (document.errors.length > 0) throw new Conflict('config.yaml does not parse; nothing was written to it. Correct it and try again.')
  const added = addMissing(document, key, items)
  if (added) await replaceFile(path, document.toString({ lineWidth: 0 }), clock)
}

function addMissing (document: Document, key: [string, ...string[]], items: string[]): boolean {
  if (document.contents !== null && !isMap(document.contents)) throw new Conflict('config.yaml must be a mapping of keys to values.')
  const parents = key.slice(0, -1)
  for (let depth = 1; depth <= parents.length; depth++) {
    const parent: unknown = document.getIn(parents.slice(0, depth))
    if (parent === null || parent === undefined) document.setIn(parents.slice(0, depth), document.createNode({}))
    else if (!isMap(parent)) throw new Conflict(`"${parents.slice(0, depth).join('.')}" of config.yaml must be a mapping.`)
  }
  let list: unknown = document.getIn(key)
  if (!isSeq(list)) {
    document.setIn(key, document.createNode(typeof list === 'string' ? [list] : []))
    list = document.getIn(key)
  }
  if (!isSeq(list)) return false
  const present = new Set<unknown>(list.toJSON() as unknown[])
  const missing = [...new Set(items)].filter((item) => !present.has(item))
  // An empty flow list (`[]`) would grow on one line.
  if (list.items.length === 0) list.flow = false
  for (const item of missing) list.add(document.createNode(item))
  return missing.length > 0
}

async function readIfThere (path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return ''
    throw error
  }
}

async function replaceFile (path: string, text: string, clock: Clock): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  // A linked file stays a link: what it points to is replaced.
  const target = await realpath(path).catch(() => path)
  const mode = await stat(target).then((stats) => stats.mode & 0o777, () => 0o600)
  const temporary = join(dirname(target), `.${basename(target)}.${process.pid}.${clock.now()}.tmp`)
  try {
    const file = await open(temporary, 'w', mode)
    try {
      await file.writeFile(text)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(temporary, target)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
  const folder = await open(dirname(target), 'r')
  await folder.sync().finally(() => folder.close())
}
