import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { asset } from '../../services/ground/assets.js'
import { openDatabase } from '../../services/ground/database/index.js'

/** Beside the compiled tests, and removed with them: made by the first process that needs it. */
const keptAt = asset('databases/fresh.db')
let bytes: Buffer | undefined

/** Returns a database with all migrations and nothing else: running them would take longer than the rest of a start. */
export function fresh (): Buffer
/** Writes one to the path where a service will look for its own, unless there is or was one. Returns the path. */
export function fresh (file: string): string
export function fresh (file?: string): Buffer | string {
  bytes ??= existsSync(keptAt) ? readFileSync(keptAt) : make()
  if (file === undefined) return bytes
  if (!existsSync(file) && !existsSync(`${file}.exists`) && !existsSync(`${file}-wal`)) writeFileSync(file, bytes, { mode: 0o600 })
  return file
}

function make (): Buffer {
  const db = openDatabase({ file: ':memory:' })
  const made = db.sqlite.serialize()
  db.close()
  mkdirSync(asset('databases'), { recursive: true })
  writeFileSync(`${keptAt}.${process.pid}`, made)
  renameSync(`${keptAt}.${process.pid}`, keptAt)
  return made
}
