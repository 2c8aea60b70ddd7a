import { type Api } from '../service/api.js'
import { type Workspace } from './known-workspaces.js'
import { folderName, locate, machineOf, pathThere } from './location.js'
import { createResource, type Resource } from '../service/resource.js'

const readMachines = async (api: Api) => await api.get('/api/hosts')

/** The machines that have joined the service, and whether it takes any. */
export type MachineList = Awaited<ReturnType<typeof readMachines>>
export type Machine = MachineList['hosts'][number]
/** One that has joined: the one on which the service itself runs has no name. */
export type OtherMachine = Machine & { name: string }

export const otherMachines = (list: MachineList | undefined): OtherMachine[] =>
  (list?.hosts ?? []).filter((one): one is OtherMachine => one.name !== null)

export interface Machines {
  readonly list: Resource<MachineList>
  /** Reads them now and every while, as nobody says when a machine goes, until what is returned is called. */
  attend: () => () => void
  /** A machine that is away and does not come back. Throws ApiError. */
  forget: (name: string) => Promise<void>
}

const everyMs = 10_000

/** @param isSeen whether somebody looks: nothing is asked while nobody does */
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

/** How it is with the machine of a chat, where that is not as it should be; null when all is well, or nobody knows yet. */
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

/** Folders of one machine. `name` null: of the one on which the service runs. */
export interface FolderGroup {
  name: string | null
  folders: readonly Workspace[]
  /** Why none of them can be worked in now. */
  absence: Absence | null
}

/** The known folders by the machine that they are on: this one first, then those that are there, then the others. */
export function groupFolders (folders: readonly Workspace[], list: MachineList | undefined): FolderGroup[] {
  const groups = new Map<string | null, Workspace[]>()
  for (const folder of folders) groups.set(machineOf(folder.path), [...groups.get(machineOf(folder.path)) ?? [], folder])
  const rank = ({ name, absence }: FolderGroup): number => name === null ? 0 : absence === null ? 1 : 2
  return [...groups]
    .map(([name, of]): FolderGroup => ({ name, folders: of, absence: name === null ? null : absenceOf(name, list) }))
    .toSorted((one, other) => rank(one) - rank(other) || (one.name ?? '').localeCompare(other.name ?? ''))
}

/** How a folder of a machine is written wherever a workspace is named. */
export const folderOn = (machine: string | null, path: string): string => machine === null ? path : `${machine}:${path}`

/** What was typed as a workspace, without the slashes at its end that say nothing. */
export function trimFolder (typed: string): string {
  const { machine, path } = locate(typed.trim())
  return folderOn(machine, path.replace(/(?<=.)\/+$/s, ''))
}

/**
 * What can be gone into from a path that is being typed: the folders a machine has opened where nothing is typed behind its name, then
 * what completes it. Where nothing at all is typed, this machine is meant.
 */
export function foldersFrom (typed: string, found: readonly string[], list: MachineList | undefined): string[] {
  const { machine, path } = locate(typed)
  const opened = machine === null || path !== '/' ? [] : rootsOf(machine, list)
  const fresh = found.filter((one) => !opened.includes(trimFolder(one)) && (typed.trim() !== '' || machineOf(one) === null))
  return [...opened, ...fresh]
}

/** The folder above one that is being typed; null where one cannot go further up. What a machine has opened is right below its name. */
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

/** What one of the folders that can be gone into is called: one that a machine has opened by its whole path, all others by their names. */
export function stepName (folder: string, list: MachineList | undefined): string {
  const { machine, path } = locate(folder)
  const isOpened = machine !== null && rootsOf(machine, list).includes(trimFolder(folder))
  return isOpened || path === '/' ? pathThere(trimFolder(folder)) : folderName(folder)
}
