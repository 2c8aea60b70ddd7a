import { isAbsolute, join, posix } from 'node:path'
import { within } from '../../ground/files/containment.js'
import { Invalid } from '../../ground/errors.js'
import { type Territory } from '../place/place.js'
import { type Workers } from '../../ground/workers/index.js'
import { isRepository } from './ignore-rules.js'
import { asName, nameList, readable } from './names.js'
import { type RestoredFiles } from './restore-task.js'
import { type Snapshot } from './snapshots.js'
import { type Store } from './store.js'

export interface Restored { files: string[], errors: RestoredFiles['errors'] }

/** The steps of a restore. Names are Latin-1: one character per byte. */
export interface RestorePlan {
  placed: string[]
  removed: string[]
  /** What the restore cannot do, or leaves out on purpose. */
  errors: RestoredFiles['errors']
}

interface Planning {
  store: Store
  territory: Territory
  id: string
  tree: string
  /** A snapshot of the current workspace; null if it could not be taken. */
  present: Snapshot | null
  /** See placesOf. */
  places: readonly string[] | null
  force: boolean
  signal: AbortSignal
}

const workLimitMs = 120_000
const notHeld = 'It existed before, but the checkpoint does not have it'

/** Converts paths to those in a tree; '' is everything. Throws Invalid for an empty list and for paths outside of the workspace. */
export function placesOf (paths: readonly string[], root: string): string[] {
  if (paths.length === 0) throw new Invalid('paths is empty. Leave it out to restore everything')
  return paths.map((path) => {
    const place = isAbsolute(path) && within(root, posix.normalize(path))
      ? posix.normalize(path).slice(root.length + 1)
      : posix.normalize(path)
    if (path === '' || isAbsolute(place) || /^\.\.(?:\/|$)/.test(place) || place.includes('\0')) {
      throw new Invalid('A path is not in the workspace', 'outside_workspace')
    }
    return place.replace(/^\.?\/*$|\/+$/, '')
  })
}

/** Plans how to restore a workspace to a tree. Without `present`, newer files are not known, and stay. */
export async function planRestore ({ store, territory, id, tree, present, places, force, signal }: Planning): Promise<RestorePlan> {
  const isWanted = chooser(places)
  const errors = new Map<string, string>()
  const spare = (file: string, error: string): false => {
    errors.set(file, error)
    return false
  }
  const changes = present === null
    ? (await store.trees.names(tree, signal)).map((name) => ({ name, status: 'M' as const }))
    : await store.trees.changes(tree, present.tree, signal)
  const wanted = changes.filter(({ name }) => isWanted(name))
  const omissions = await store.omissions(id)
  const thereBefore = new Set(omissions.leftOut.map(([file]) => file))
  const notKept = new Set(force ? [] : present?.leftOut)
  const placed = wanted.filter(({ status }) => status !== 'A').map(({ name }) => name)
    .filter((name) => !notKept.has(readable(name)) || spare(readable(name), 'Its present state could not be saved, so it was left alone'))

  const before = omissions.repositories
  const newcomers = before === null || force ? [] : (present?.repositories ?? []).filter((place) => place !== '' && !before.includes(place))
  for (const place of newcomers) {
    if (isWanted(
      asName(place)
    )) errors.set(place, 'This repository was added later. It was left alone, because its history could not be restored')
  }
  const came = wanted.filter(({ status }) => status === 'A').map(({ name }) => name).filter((name) => {
    const text = readable(name)
    if (thereBefore.has(text)) return spare(text, notHeld)
    const around = newcomers.find((place) => within(place, text))
    return around === undefined || (errors.has(around) ? false : spare(text, 'It belongs to a repository that was added later'))
  })
  for (const place of before ?? []) {
    if (isWanted(asName(place)) && !await isRepository(join(territory.root, place))) {
      errors.set(place === '' ? '.' : place, 'This was a repository: its files are restored, but not its history (.git)')
    }
  }
  for (const [file, stamp] of omissions.leftOut) {
    if (stamp !== null && !errors.has(file) && isWanted(asName(file)) && await store.stampOf(file) !== stamp) errors.set(file, notHeld)
  }
  // If .gitignore files are restored, their rules apply, so carryOut asks again after writing them.
  const ignored = placed.some(isRule) ? new Set() : await store.ignored(came, territory, signal)
  return { placed, removed: came.filter((name) => !ignored.has(name)), errors: [...errors].map(([file, error]) => ({ file, error })) }
}

/** Carries out a plan. Failures are reported, and the rest is done. */
export async function carryOut (
  { placed, removed, errors }: RestorePlan,
  { store, workers, territory, tree, signal }: { store: Store, workers: Workers, territory: Territory, tree: string, signal: AbortSignal }
): Promise<Restored> {
  return await store.trees.withFiles(tree, placed, signal, async (source) => {
    const work = async (removed: string[], placed: string[]): Promise<RestoredFiles> => await workers.run('restoreFiles', {
      root: territory.root, closed: territory.closed, source, removed: nameList(removed.sort().reverse()), placed: nameList(placed.sort())
    }, { timeoutMs: workLimitMs })
    // The rules are restored first: files that they ignore are in the snapshot only because the rules had changed.
    const rules = placed.filter(isRule)
    const first = rules.length === 0 || removed.length === 0 ? [] : (await work([], rules)).done
    const ignored = rules.length === 0 ? new Set() : await store.ignored(removed, territory, signal)
    const rest = await work(removed.filter((name) => !ignored.has(name)), placed)
    return { files: [...new Set([...first, ...rest.done])].sort(), errors: [...errors, ...rest.errors] }
  })
}

function chooser (places: readonly string[] | null): (name: string) => boolean {
  if (places === null) return () => true
  const wanted = places.map(asName)
  return (name) => wanted.some((place) => place === '' || name === place || name.startsWith(`${place}/`))
}

const isRule = (name: string): boolean => /(?:^|\/)\.gitignore$/.test(name)
