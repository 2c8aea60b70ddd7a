import { asc, eq } from 'drizzle-orm'
import { basename } from 'node:path'
import { epochSeconds, type Clock } from '../ground/time/clock.js'
import { tables, type Database } from '../ground/database/index.js'
import { Invalid, NotFound } from '../ground/errors.js'
import { remoteFolder } from '../ground/remote-folder.js'
import { asSaved } from '../ground/redaction/index.js'

export interface WorkspaceRecord { path: string, name: string }

export interface WorkspacesOptions {
  db: Database
  clock: Clock
  defaultWorkspace: () => string
  /** Returns the folder of the profile's most recently active conversation. */
  lastUsed: (profile: string) => string | undefined
}

const maxNameChars = 128

/** The folders that a profile offers for new conversations, in the order that the operator chose. */
export function createWorkspaces ({ db, clock, defaultWorkspace, lastUsed }: WorkspacesOptions) {
  const { orm } = db
  const { workspaces } = tables

  const records = (profile: string) =>
    orm.select().from(workspaces).where(eq(workspaces.profile, profile)).orderBy(asc(workspaces.position)).all()

  /** Returns the list. The default workspace comes first until a person moves it. */
  function list (profile: string): WorkspaceRecord[] {
    const path = defaultWorkspace()
    const rows = records(profile).map(({ path, name }) => ({ path, name }))
    return rows.some((row) => row.path === path) ? rows : [{ path, name: nameOf(path) }, ...rows]
  }

  /** Stores a list as it is shown, so that what was only implied (the position of the default) is stored from then on. */
  function store (profile: string, list: WorkspaceRecord[]): void {
    const known = new Map(records(profile).map((row) => [row.path, row.createdAt]))
    orm.delete(workspaces).where(eq(workspaces.profile, profile)).run()
    list.forEach(({ path, name }, position) => {
      orm.insert(workspaces).values({ profile, path, name, position, createdAt: known.get(path) ?? epochSeconds(clock) }).run()
    })
  }

  async function change (profile: string, edit: (list: WorkspaceRecord[]) => WorkspaceRecord[]): Promise<WorkspaceRecord[]> {
    return await db.durably(() => {
      const edited = edit(list(profile))
      store(profile, edited)
      return edited
    })
  }

  function indexIn (list: WorkspaceRecord[], path: string): number {
    const index = list.findIndex((row) => row.path === path)
    if (index === -1) throw new NotFound('Workspace not found')
    return index
  }

  return {
    list,

    /** Returns the folder of the most recently active conversation, or the default. */
    last: (profile: string): string => lastUsed(profile) ?? defaultWorkspace(),

    /** Adds a folder. `path` must come from workspaceFolder. Throws Invalid (`duplicate`) if it is already in the list. */
    async add (profile: string, path: string, name?: string): Promise<WorkspaceRecord[]> {
      const shown = cleanName(asSaved('name', name ?? '', null), nameOf(path))
      return await change(profile, (list) => {
        if (list.some((row) => row.path === path)) throw new Invalid('This workspace is already in the list', 'duplicate')
        return [...list, { path, name: shown }]
      })
    },

    /** Removes a folder from the list; the folder itself and its conversations stay. Throws NotFound, and Invalid for the default. */
    async remove (profile: string, path: string): Promise<WorkspaceRecord[]> {
      return await change(profile, (list) => {
        const index = indexIn(list, path)
        if (path === defaultWorkspace()) throw new Invalid('The default workspace stays in the list')
        return list.toSpliced(index, 1)
      })
    },

    /** Changes the shown name. An empty name restores the folder's own. Throws NotFound. */
    async rename (profile: string, path: string, name: string): Promise<WorkspaceRecord[]> {
      return await change(profile, (list) => {
        const index = indexIn(list, path)
        return list.with(index, { path, name: cleanName(asSaved('name', name, list[index]?.name ?? null), nameOf(path)) })
      })
    },

    /** Reorders the list. Paths that are not in it are ignored; folders that are not named follow in their old order. */
    async reorder (profile: string, paths: string[]): Promise<WorkspaceRecord[]> {
      return await change(profile, (list) => {
        const wanted = [...new Set(paths)].flatMap((path) => list.find((row) => row.path === path) ?? [])
        return [...wanted, ...list.filter((row) => !wanted.includes(row))]
      })
    }
  }
}

export type Workspaces = ReturnType<typeof createWorkspaces>

const nameOf = (path: string): string => basename(remoteFolder(path)?.path ?? path) || path

function cleanName (name: string, fallback: string): string {
  // eslint-disable-next-line no-control-regex -- control characters are replaced
  const clean = [...name.replace(/[\u0000-\u001f\u007f]/g, ' ').trim()].slice(0, maxNameChars).join('').trim()
  return clean === '' ? fallback : clean
}
