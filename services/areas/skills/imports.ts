import { randomBytes } from 'node:crypto'
import { readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Type, type Static } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { type Clock } from '../../ground/time/clock.js'
import { Conflict, Invalid, NotFound, TooLarge } from '../../ground/errors.js'
import { withField } from '../../ground/text/front-matter.js'
import { temporaryName } from '../../ground/files/temporary.js'
import { type Log } from '../../ground/log.js'
import { type Workers } from '../../ground/workers/index.js'
import { type Arrival } from '../../workspace/files/index.js'
import { archiveStem } from '../../workspace/place/names.js'
import { atSpot, type Territory } from '../../workspace/place/place.js'
import { type Profiles } from '../profiles/index.js'
import { archivedSkills } from './archived-skills.js'
import { folderDigest, skillLimits } from './folder-digest.js'
import { type FoundSkills } from './found-skills.js'
import { inspectedSkill, nameOf, type InspectedSkill } from './inspected-skill.js'
import { readSkillFile } from './linked-files.js'
import { categoryName, lookAt, makeFolder, type OwnSkills, putText, refuseNested } from './own-skills.js'
import { folderOf, skillFile, type FoundSkill } from './scan.js'
import { longestName } from './specification.js'

export interface Inspection {
  /** Names the unpacked archive for `take` and `undo`. */
  id: string
  skills: Array<InspectedSkill & {
    /** The profile's own skill of this name, or a folder of this name that is none. `isSame`: with the same files. */
    conflict: { place: string, isSame: boolean } | null
    /** Origins of other skills of this name, which it would replace. */
    hides: Array<FoundSkill['origin']>
  }>
  /** Files of the archive that belong to no skill. */
  others: number
}

/** What happens if the profile has a skill of this name: Conflict, the old one is replaced, or the new one gets another name. */
type OnConflict = 'refuse' | 'replace' | 'keep_both'
export interface ImportChoice { id: string, onConflict: OnConflict }
export interface Imported { name: string, place: string, isReplaced: boolean }

export interface SkillImportsOptions {
  own: OwnSkills
  found: FoundSkills
  profiles: Pick<Profiles, 'existing' | 'list' | 'settings'>
  clock: Clock
  workers: Pick<Workers, 'run'>
  log: Log
}

/** What is stored beside an unpacked archive, so that an import can be finished and undone by any later process. */
const Stored = Type.Object({
  skills: Type.Array(Type.Object({ id: Type.String(), name: Type.String(), problem: Type.Union([Type.String(), Type.Null()]) })),
  /** The imported skills, written before the first is moved. */
  moves: Type.Array(Type.Object({
    name: Type.String(), from: Type.String(), place: Type.String(), aside: Type.String(), isReplaced: Type.Boolean(),
    digest: Type.Union([Type.String(), Type.Null()])
  }))
})
type Stored = Static<typeof Stored>
type Move = Stored['moves'][number]

/** Below a profile's folder of skills; hidden, so that it is not searched for skills. */
const importsFolder = '.imports'
const storedFile = 'import.json'
const unpackedName = 'unpacked'
const idForm = /^[0-9a-f]{24}$/
const keptMs = 24 * 3_600_000
const mostKept = 10
const mostSkills = 100
const unpackLimitMs = 60_000

/**
 * Imports skills from archives. An archive is first unpacked into a hidden folder of the profile and described; a person then chooses what
 * is saved. Everything can be undone for a day, because a replaced skill is moved into that folder.
 */
export class SkillImports {
  constructor (readonly options: SkillImportsOptions) {}

  /**
   * Unpacks an archive (zip, tar, tar.gz) and describes its skills; saves none. Throws Invalid (`not_an_archive`, `unsafe_archive`; also if
   * it contains no skill), TooLarge, NotFound for an unknown profile, Unavailable (`disk_full`).
   */
  async inspect (profile: string, arrival: Pick<Arrival, 'path' | 'name'>): Promise<Inspection> {
    const { own, clock, workers } = this.options
    const { home } = this.options.profiles.existing(profile)
    const id = randomBytes(12).toString('hex')
    const root = await own.inFolder(home, async (territory) => {
      await this.#tidy(territory)
      await makeFolder(territory, placeOf(id))
      return join(territory.root, placeOf(id))
    })
    try {
      const { files, truncated } = await workers.run('extractArchive', {
        territory: { root, closed: [] }, folder: '.', source: { arrival: arrival.path }, temporary: temporaryName(), name: unpackedName,
        isAgain: false, capBytes: skillLimits.bytes, abandonedBeforeMs: clock.now() - keptMs
      }, { timeoutMs: unpackLimitMs })
      if (truncated) throw new TooLarge(`The archive has more than ${skillLimits.files} files`)
      const { skills: archived, others } = archivedSkills(files.map((file) => file.slice(unpackedName.length + 1)))
      if (archived.length === 0) throw new Invalid(`The archive contains no skill: no folder in it has a ${skillFile}`)
      if (archived.length > mostSkills) throw new TooLarge(`The archive has more than ${mostSkills} skills`)
      const skills: InspectedSkill[] = []
      const stem = archiveStem(arrival.name)
      for (const skill of archived) skills.push(await inspectedSkill(join(root, unpackedName, skill.folder), skill, stem))
      refuseDoubles(skills)
      await this.#store(home, id, { skills: skills.map(({ id, name, problem }) => ({ id, name, problem })), moves: [] })
      return { id, skills: await this.#compared(profile, skills, root), others }
    } catch (error) {
      await rm(root, { recursive: true, force: true }).catch(() => {})
      throw error
    }
  }

  /**
   * Saves chosen skills of an inspected archive in the profile's folder: all of them, or none. Resolves when they are on disk. A skill that
   * is not in conflict is saved in `category` (empty: none). Throws NotFound for an unknown id, Conflict (`exists`) naming the skills that
   * are in conflict with `refuse`, Conflict if the archive was imported before, Invalid for a skill that has a problem.
   */
  async take (profile: string, id: string, chosen: readonly ImportChoice[], category: string): Promise<Imported[]> {
    const { home } = this.options.profiles.existing(profile)
    const within = categoryName(category)
    return await this.#changing(home, async (territory) => {
      const stored = await storedOf(territory, id)
      // A process that was killed has moved some of them.
      if (stored.moves.length > 0 && !await isWhole(territory, stored.moves)) await moveBack(territory, stored.moves)
      else if (stored.moves.length > 0) throw new Conflict('These skills were imported already', 'exists')
      const moves = await this.#planned(profile, territory, { id, stored, chosen, category: within })
      await putStored(territory, id, { ...stored, moves })
      try {
        for (const { from, place, aside, isReplaced } of moves) {
          if (place.includes('/')) await makeFolder(territory, place.slice(0, place.lastIndexOf('/')))
          if (isReplaced) await move(territory, place, aside)
          await move(territory, from, place)
        }
      } catch (error) {
        await moveBack(territory, moves)
        await putStored(territory, id, { ...stored, moves: [] })
        throw error
      }
      return moves.map(({ name, place, isReplaced }) => ({ name, place, isReplaced }))
    })
  }

  /**
   * Undoes an import: removes the skills that it saved and restores those that it replaced; discards an archive that was only inspected.
   * Throws NotFound if it is older than a day, Conflict (`changed`) if one of the skills has changed since.
   */
  async undo (profile: string, id: string): Promise<{ removed: string[], restored: string[] }> {
    const { home } = this.options.profiles.existing(profile)
    return await this.#changing(home, async (territory) => {
      const { moves } = await storedOf(territory, id)
      for (const { name, from, place, digest } of moves) {
        const isMoved = await statusAt(territory, from) === null
        const now = isMoved && await statusAt(territory, place) !== null ? await folderDigest(join(territory.root, place)) : digest
        if (now !== digest) throw new Conflict(`The skill ${name} has changed since it was imported`, 'changed')
      }
      await moveBack(territory, moves)
      await rm(join(territory.root, placeOf(id)), { recursive: true, force: true })
      const names = (areReplaced: boolean): string[] => moves.filter(({ isReplaced }) => isReplaced === areReplaced).map(({ name }) => name)
      return { removed: names(false), restored: names(true) }
    })
  }

  /** Undoes imports of all profiles that a process has left half done because it was killed. */
  async settle (): Promise<void> {
    for (const { home } of this.options.profiles.list()) {
      const names = await importsIn(join(home, 'skills'))
      if (names.length === 0) continue
      await this.#changing(home, async (territory) => { for (const name of names) await this.#settle(territory, name) })
    }
  }

  /** Undoes an import of which only a part was made. Returns false if that cannot be done now; it is kept then. */
  async #settle (territory: Territory, id: string): Promise<boolean> {
    try {
      const moves = await movesOf(territory, id)
      if (!await isWhole(territory, moves)) await moveBack(territory, moves)
      return true
    } catch (error) {
      this.options.log('an import of skills could not be undone', { import: id, reason: String(error) })
      return false
    }
  }

  async #changing<T> (home: string, work: (territory: Territory) => Promise<T>): Promise<T> {
    this.options.found.forget(home)
    try {
      return await this.options.own.inFolder(home, work)
    } finally {
      this.options.found.forget(home)
    }
  }

  async #found (profile: string): Promise<FoundSkill[]> {
    const { home, config } = this.options.profiles.settings(profile)
    this.options.found.forget(home)
    return await this.options.found.in(home, config)
  }

  /** @param root where the archive is kept */
  async #compared (profile: string, skills: readonly InspectedSkill[], root: string): Promise<Inspection['skills']> {
    const found = await this.#found(profile)
    const compared: Inspection['skills'] = []
    for (const skill of skills) {
      const there = ownNamed(found, skill.name)
      const isSame = there !== undefined && await folderDigest(join(root, unpackedName, skill.id)) === await folderDigest(folderOf(there))
      const isTaken = there === undefined && skill.problem === null && await lookAt(join(dirname(dirname(root)), skill.name)) !== null
      const hides = found.filter(({ origin, name }) => origin !== 'profile' && name === skill.name).map(({ origin }) => origin)
      const place = isTaken ? skill.name : there?.place
      compared.push({ ...skill, conflict: place === undefined ? null : { place, isSame }, hides: [...new Set(hides)] })
    }
    return compared
  }

  async #planned (
    profile: string, territory: Territory,
    { id, stored, chosen, category }: { id: string, stored: Stored, chosen: readonly ImportChoice[], category: string }
  ): Promise<Move[]> {
    const found = await this.#found(profile)
    const moves: Move[] = []
    const refused: string[] = []
    const inCategory = (name: string): string => category === '' ? name : `${category}/${name}`
    const isTaken = async (name: string): Promise<boolean> => ownNamed(found, name) !== undefined ||
      moves.some((move) => move.name === name) || await statusAt(territory, inCategory(name)) !== null
    for (const [at, { id: skillId, onConflict }] of chosen.entries()) {
      const skill = stored.skills.find((skill) => skill.id === skillId)
      if (skill === undefined) throw new NotFound(`The archive has no skill ${skillId.slice(0, 100)}`)
      if (skill.problem !== null) throw new Invalid(`${skill.name} cannot be imported: ${skill.problem}`)
      if (chosen.findIndex((one) => one.id === skillId) !== at) throw new Invalid(`${skill.name} is named twice`)
      const from = placeOf(id, unpackedName, ...(skillId === '.' ? [] : [skillId]))
      const isConflict = await isTaken(skill.name)
      const there = ownNamed(found, skill.name)
      // Only a skill is replaced, and only once: any other folder of this name holds other skills.
      const isReplaced = onConflict === 'replace' && there !== undefined && !moves.some(({ place }) => place === there.place)
      if (isConflict && onConflict !== 'keep_both' && !isReplaced) refused.push(skill.name)
      const name = isConflict && onConflict === 'keep_both' ? await freeName(skill.name, isTaken) : skill.name
      await giveName(territory, from, { name, found: skill.name })
      const place = (name === skill.name ? there?.place : undefined) ?? inCategory(name)
      if (!isReplaced && !refused.includes(skill.name)) refuseNested(found.filter(({ origin }) => origin === 'profile'), place)
      const digest = await folderDigest(join(territory.root, from), { isSynced: true })
      moves.push({ name, from, place, aside: placeOf(id, `replaced-${at}`), isReplaced, digest })
    }
    if (refused.length > 0) throw new Conflict(`The profile already has: ${refused.join(', ')}`, 'exists')
    return moves
  }

  /** Removes earlier imports that are too old, and archives that were only inspected if they are too many. */
  async #tidy (territory: Territory): Promise<void> {
    const folder = join(territory.root, importsFolder)
    const aged = await Promise.all((await importsIn(territory.root)).map(async (name) => ({
      name, atMs: (await stat(join(folder, name))).mtimeMs,
      isImported: await movesOf(territory, name).then(({ length }) => length > 0, () => true)
    })))
    let others = 0
    for (const { name, atMs, isImported } of aged.sort((one, other) => other.atMs - one.atMs)) {
      const isTooMuch = !isImported && ++others >= mostKept
      if (!isTooMuch && atMs >= this.options.clock.now() - keptMs) continue
      if (await this.#settle(territory, name)) await rm(join(folder, name), { recursive: true, force: true })
    }
  }

  async #store (home: string, id: string, stored: Stored): Promise<void> {
    await this.options.own.inFolder(home, async (territory) => await putStored(territory, id, stored))
  }
}

const placeOf = (id: string, ...below: string[]): string => [importsFolder, id, ...below].join('/')

/** Returns the profile's own skill of a name, which may be that of its folder. */
const ownNamed = (found: readonly FoundSkill[], name: string): FoundSkill | undefined => {
  const own = found.filter(({ origin }) => origin === 'profile')
  return own.find(({ place }) => place.slice(place.lastIndexOf('/') + 1) === name) ?? own.find((skill) => skill.name === name)
}

function refuseDoubles (skills: readonly InspectedSkill[]): void {
  const names = new Set<string>()
  for (const skill of skills) {
    if (names.has(skill.name)) skill.problem ??= 'Another skill of the archive has this name'
    names.add(skill.name)
  }
}

async function freeName (name: string, isTaken: (name: string) => Promise<boolean>): Promise<string> {
  for (let number = 2; ; number++) {
    const suffix = `-${number}`
    const free = `${name.slice(0, longestName - suffix.length)}${suffix}`
    if (!await isTaken(free)) return free
  }
}

/**
 * Writes a name into the front matter of a skill, unless it has this one; one without a name has that of its folder. An earlier attempt to
 * import it may have given it another name than the one that was found.
 */
async function giveName (territory: Territory, place: string, { name, found }: { name: string, found: string }): Promise<void> {
  const { text } = await readSkillFile(join(territory.root, place), skillFile)
  if (nameOf(text, found) === name) return
  await atSpot(territory, `${place}/${skillFile}`, async (spot) => await putText(spot, withField(text, 'name', name), null))
}

async function putStored (territory: Territory, id: string, stored: Stored): Promise<void> {
  await atSpot(territory, placeOf(id, storedFile), async (spot) => await putText(spot, JSON.stringify(stored), null))
}

async function storedOf (territory: Territory, id: string): Promise<Stored> {
  const gone = (): NotFound => new NotFound('These skills are no longer kept. Upload the archive again')
  if (!idForm.test(id)) throw gone()
  const { text } = await readSkillFile(join(territory.root, placeOf(id)), storedFile).catch((error: unknown) => {
    throw error instanceof NotFound ? gone() : error
  })
  const stored: unknown = JSON.parse(text)
  if (!Value.Check(Stored, stored)) throw gone()
  return stored
}

/** Lists the imports that are kept in a folder of skills. */
const importsIn = async (root: string): Promise<string[]> =>
  (await readdir(join(root, importsFolder)).catch(() => [])).filter((name) => idForm.test(name))

/** Returns what an import has moved, or is about to; nothing for one that is being unpacked. Throws if that cannot be read. */
async function movesOf (territory: Territory, id: string): Promise<Move[]> {
  try {
    return (await storedOf(territory, id)).moves
  } catch (error) {
    if (error instanceof NotFound) return []
    throw error
  }
}

/** Returns the status of an entry; null if it, or the folder above it, does not exist. */
async function statusAt (territory: Territory, place: string) {
  return await atSpot(territory, place, async ({ at }) => await lookAt(at)).catch((error: unknown) => {
    if (error instanceof NotFound) return null
    throw error
  })
}

/** Moves a folder. Resolves when that is on disk. */
async function move (territory: Territory, from: string, to: string): Promise<void> {
  await atSpot(territory, from, async (source) => await atSpot(territory, to, async (target) => {
    await rename(source.at, target.at)
    await target.folder.sync()
    await source.folder.sync()
  }))
}

/** Whether all moves have been made. */
async function isWhole (territory: Territory, moves: readonly Move[]): Promise<boolean> {
  for (const { from } of moves) if (await statusAt(territory, from) !== null) return false
  return true
}

/** Makes moves undone, as far as they were made. */
async function moveBack (territory: Territory, moves: readonly Move[]): Promise<void> {
  for (const { from, place, aside } of moves.toReversed()) {
    const isMoved = await statusAt(territory, from) === null && await statusAt(territory, place) !== null
    if (isMoved) await move(territory, place, from)
    if (await statusAt(territory, aside) !== null) await move(territory, aside, place)
  }
}
