import { type Static, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { readdirSync, readFileSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { codeOf } from '../../ground/errors.js'
import { tried } from '../../ground/tried.js'
import { parseJson } from '../../ground/text/parse-json.js'

/** Describes a backup, next to its `service.db`. It is written last, so a backup with a manifest is complete and checked. */
const Manifest = Type.Object({
  made_at: Type.Number({ description: 'epoch seconds' }),
  program: Type.String({ description: 'version of the service' }),
  database_version: Type.Integer(),
  database_bytes: Type.Integer(),
  database_sha256: Type.Optional(Type.String({ pattern: '^[0-9a-f]{64}$', description: 'missing in backups from before it was noted' })),
  rows: Type.Record(Type.String(), Type.Integer(), { description: 'by table' }),
  attachments: Type.Integer()
})
export type Manifest = Static<typeof Manifest>

export interface Backup { name: string, manifest: Manifest }

const manifestName = 'manifest.json'
const namePattern = /^backup-\d{8}-\d{6}(-\d+)?$/

export const manifestFile = (folder: string): string => join(folder, manifestName)

/** Returns null if there is no manifest, or an invalid one. */
export const readManifest = (folder: string): Manifest | null => tried(() => parsed(readFileSync(manifestFile(folder), 'utf8')), null)

function parsed (text: string): Manifest | null {
  const manifest = parseJson(text)
  return Value.Check(Manifest, manifest) ? manifest : null
}

/** Lists the complete backups of a folder, newest first. */
export function listBackups (folder: string): Backup[] {
  let names: string[] = []
  try {
    names = readdirSync(folder)
  } catch {}
  return names.filter((name) => namePattern.test(name))
    .flatMap((name) => {
      const manifest = readManifest(join(folder, name))
      return manifest === null ? [] : [{ name, manifest }]
    })
    .sort(newestFirst)
}

const newestFirst = (a: Backup, b: Backup): number => b.manifest.made_at - a.manifest.made_at || (a.name < b.name ? 1 : -1)

/** Returns the newest backup without blocking the event loop; null if there is none. Throws what prevents reading it, such as EACCES. */
export async function newestBackup (folder: string): Promise<Backup | null> {
  const names = await readdir(folder).catch(absent([]))
  const found = await Promise.all(names.filter((name) => namePattern.test(name)).map(async (name) => {
    const manifest = parsed(await readFile(manifestFile(join(folder, name)), 'utf8').catch(absent('')))
    return manifest === null ? [] : [{ name, manifest }]
  }))
  return found.flat().sort(newestFirst)[0] ?? null
}

const absent = <T>(instead: T) => (error: unknown): T => {
  if (['ENOENT', 'ENOTDIR'].includes(codeOf(error) ?? '')) return instead
  throw error
}

/** `backup-20261122-065800`, in UTC. */
export function backupName (madeAtS: number): string {
  return `backup-${new Date(madeAtS * 1000).toISOString().replaceAll(/[-:]/g, '').replace('T', '-').slice(0, 15)}`
}
