import { type Static, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** What lies in a backup beside `service.db`; written last, so that a backup with a manifest is a whole one that was checked. */
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

/** Null where there is none, or none that can be understood. */
export function readManifest (folder: string): Manifest | null {
  try {
    const manifest: unknown = JSON.parse(readFileSync(manifestFile(folder), 'utf8'))
    return Value.Check(Manifest, manifest) ? manifest : null
  } catch {
    return null
  }
}

/** The whole backups of a folder, the newest first. */
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
    .sort((a, b) => b.manifest.made_at - a.manifest.made_at || (a.name < b.name ? 1 : -1))
}

/** `backup-20261122-065800`, in UTC. */
export function backupName (madeAtS: number): string {
  return `backup-${new Date(madeAtS * 1000).toISOString().replaceAll(/[-:]/g, '').replace('T', '-').slice(0, 15)}`
}
