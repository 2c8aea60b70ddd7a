import { type Territory } from '../files/index.js'
import { type Workers } from '../workers/index.js'
import { nameList } from './domains.js'
import { type PutBack } from './put-back-task.js'
import { type Snapshot, type Store } from './store.js'

export interface Restored { files: string[], errors: PutBack['errors'] }

interface Restoring {
  store: Store
  workers: Workers
  territory: Territory
  id: string
  tree: string
  /** What the workspace holds now; null when that is not known. */
  present: Snapshot | null
  paths: readonly string[] | null
  force: boolean
  signal: AbortSignal
}

const workLimitMs = 120_000

/** Makes a workspace what a tree of it says. Without `present`, what came since is not known and stays. */
export async function putBackTree ({ store, workers, territory, id, tree, present, paths, force, signal }: Restoring): Promise<Restored> {
  const isWanted = chooser(paths)
  const errors: Restored['errors'] = []
  const spare = (name: string, error: string): false => {
    errors.push({ file: textOf(name), error })
    return false
  }
  const changes = present === null
    ? (await store.names(tree, signal)).map((name) => ({ name, status: 'M' as const }))
    : await store.changes(tree, present.tree, signal)
  const wanted = changes.filter(({ name }) => isWanted(name))
  const thereBefore = await store.leftOut(id)
  const notKept = new Set(force ? [] : present?.leftOut)
  const placed = wanted.filter(({ status }) => status !== 'A').map(({ name }) => name)
    .filter((name) => !notKept.has(textOf(name)) || spare(name, 'As it is now it could not be kept, so it was left alone'))
  const came = wanted.filter(({ status }) => status === 'A').map(({ name }) => name)
    .filter((name) => !thereBefore.has(textOf(name)) || spare(name, 'It was there before, but the checkpoint does not hold it'))
  if (placed.length + came.length === 0) return { files: [], errors }

  return await store.withFiles(tree, placed, signal, async (source) => {
    const work = async (removed: string[], placed: string[]): Promise<PutBack> => await workers.run('putBack', {
      root: territory.root, closed: territory.closed, source, removed: nameList(removed.sort().reverse()), placed: nameList(placed.sort())
    }, { timeoutMs: workLimitMs })
    // The rules come first: what they ignore came into the snapshot only because they had been changed.
    const rules = placed.filter((name) => /(?:^|\/)\.gitignore$/.test(name))
    const first = rules.length === 0 || came.length === 0 ? [] : (await work([], rules)).done
    const ignored = await store.ignored(came, signal)
    const rest = await work(came.filter((name) => !ignored.has(name)), placed)
    return { files: [...new Set([...first, ...rest.done])].sort(), errors: [...errors, ...rest.errors] }
  })
}

/** Names are Latin-1: a character for each byte. */
function chooser (paths: readonly string[] | null): (name: string) => boolean {
  if (paths === null) return () => true
  const places = paths.map((path) => Buffer.from(path.replace(/^(?:\.\/+)+|\/+$/g, '')).toString('latin1'))
  return (name) => places.some((place) => place === '' || place === '.' || name === place || name.startsWith(`${place}/`))
}

const textOf = (name: string): string => Buffer.from(name, 'latin1').toString()
