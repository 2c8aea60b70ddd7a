import { type Api } from '../service/api.js'
import { type Workspace } from './known-workspaces.js'
import { folderName, locate, machineOf, pathThere } from './location.js'
import { createResource, type Resource } from '../service/resource.js'

const readMachines = async (api: Api) => await api.get('/api/hosts')

/** The machines that have joined, and whether the service accepts any. */
export type MachineList = Awaited<ReturnType<typeof readMachines>>
export type Machine = MachineList['hosts'][number]
/** A machine that has joined. The service's own machine has no name and is none of these. */
export type OtherMachine = Machine & { name: string }

export const otherMachines = (list: MachineList | undefined): OtherMachine[] =>
  (list?.hosts ?? []).filter((one): one is OtherMachine => one.name !== null)

export interface Machines {
  readonly list: Resource<MachineList>
  /**
   * Reads the machines now and at intervals, until the returned function is called. Polling is needed because nothing reports that a
   * machine has gone.
   */
  attend: () => () => void
  /** Removes an offline machine from the list. Throws ApiError. */
  forget: (name: string) => Promise<void>
}

const everyMs = 10_000

/** @param isSeen whether the window is visible; polling pauses while it is not */
export function createMachines ({ api, isSeen, pauseMs = everyMs }: { api: Api, isSeen: () => boolean, pauseMs?: number }): Machines {
  const list = createResource(async () => await readMachines(api))
  let attending = 0
  let timer: ReturnType<typeof setInterval> | null = null
  return {
    list,
    attend () {
      attending++
      void list.refresh()
      timer ??= setInterval(() => { if (isSeen()) void list.refresh() }, pauseMs)
      return () => {
        if (--attending > 0 || timer === null) return
        clearInterval(timer)
        timer = null
      }
    },
    async forget (name) {
      await api.post('/api/hosts/forget', { name })
      await list.refresh()
    }
  }
}

/** What is wrong with a chat's machine; null if nothing is, or nothing is known yet. */
export type Absence = { kind: 'away', sinceS: number } | { kind: 'refused', why: string | null } | { kind: 'unknown' | 'off' | 'cut' }

export function absenceOf (name: string, list: MachineList | undefined): Absence | null {
  if (list === undefined) return null
  if (!list.enabled) return { kind: 'off' }
  if (!list.connected) return { kind: 'cut' }
  const machine = list.hosts.find((one) => one.name === name)
  if (machine === undefined) return { kind: 'unknown' }
  if (machine.state === 'away') return { kind: 'away', sinceS: machine.since }
  return machine.state === 'refused' ? { kind: 'refused', why: machine.note } : null
}

/** The folders of one machine. `name` null: the service's own. */
export interface FolderGroup {
  name: string | null
  folders: readonly Workspace[]
  /** Why none of them can be used now. */
  absence: Absence | null
}

/** Groups the known folders by machine: this one first, then the connected ones, then the others. */
export function groupFolders (folders: readonly Workspace[], list: MachineList | undefined): FolderGroup[] {
  const groups = new Map<string | null, Workspace[]>()
  for (const folder of folders) groups.set(machineOf(folder.path), [...groups.get(machineOf(folder.path)) ?? [], folder])
  const rank = ({ name, absence }: FolderGroup): number => name === null ? 0 : absence === null ? 1 : 2
  return [...groups]
    .map(([name, of]): FolderGroup => ({ name, folders: of, absence: name === null ? null : absenceOf(name, list) }))
    .toSorted((one, other) => rank(one) - rank(other) || (one.name ?? '').localeCompare(other.name ?? ''))
}

/** Returns the name of a folder on a machine, as workspaces are named everywhere. */
export const folderOn = (machine: string | null, path: string): string => machine === null ? path : `${machine}:${path}`

/** Returns a typed workspace without meaningless slashes at its end. */
export function trimFolder (typed: string): string {
  const { machine, path } = locate(typed.trim())
  return folderOn(machine, path.replace(/(?<=.)\/+$/s, ''))
}

/**
 * Returns the folders to go into from a typed path: those that a machine has opened if only its name is typed, else completions of the
 * path. An empty path means this machine.
 */
export function foldersFrom (typed: string, found: readonly string[], list: MachineList | undefined): string[] {
  const { machine, path } = locate(typed)
  const opened = machine === null || path !== '/' ? [] : rootsOf(machine, list)
  const fresh = found.filter((one) => !opened.includes(trimFolder(one)) && (typed.trim() !== '' || machineOf(one) === null))
  return [...opened, ...fresh]
}

/** Returns the parent of a typed folder; null at the top. The folders that a machine has opened are right below its name. */
export function folderAbove (typed: string, list: MachineList | undefined): string | null {
  const { machine, path } = locate(typed)
  if (machine !== null && path !== '/' && rootsOf(machine, list).includes(trimFolder(typed))) return folderOn(machine, '/')
  const [, above] = /^(.*\/)[^/]+\/?$/s.exec(path) ?? []
  return above === undefined ? null : folderOn(machine, above)
}

function rootsOf (name: string, list: MachineList | undefined): string[] {
  const machine = otherMachines(list).find((one) => one.name === name)
  return (machine?.workspaces ?? []).map((root) => trimFolder(folderOn(name, pathThere(root))))
}

/** Returns the name of a folder to go into: the whole path if a machine has opened it, else its last part. */
export function stepName (folder: string, list: MachineList | undefined): string {
  const { machine, path } = locate(folder)
  const isOpened = machine !== null && rootsOf(machine, list).includes(trimFolder(folder))
  return isOpened || path === '/' ? pathThere(trimFolder(folder)) : folderName(folder)
}
