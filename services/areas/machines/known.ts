import { Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { epochSeconds, type Clock } from '../../ground/time/clock.js'
import { createValues, type Database } from '../../ground/database/index.js'
import { Description } from './description.js'
import { type Machine } from './presence.js'

const key = 'hosts'

/** The stored form. A machine's report may be in the form of another version, and then counts as not understood. */
const Kept = Type.Object({
  name: Type.String(),
  state: Type.Union([Type.Literal('ready'), Type.Literal('away'), Type.Literal('refused')]),
  sinceS: Type.Number(),
  note: Type.Union([Type.String(), Type.Null()]),
  hasLeft: Type.Boolean(),
  told: Type.Unknown(),
  generation: Type.Integer()
})

/** The machines that have ever joined. They are kept so that they are listed, as away, after a restart. */
export function createKnownMachines ({ db, clock }: { db: Database, clock: Clock }) {
  const values = createValues(db.sqlite)
  return {
    read: (): Machine[] => (values.read(key, Type.Array(Type.Unknown())) ?? []).flatMap((machine) => Value.Check(Kept, machine)
      ? { ...machine, told: Value.Check(Description, machine.told) ? machine.told : null }
      : []),
    keep (machines: Machine[]): void {
      db.enqueue({ write () { values.set(key, machines, epochSeconds(clock)) } })
    }
  }
}

/**
 * Returns an id that stays with a folder: a process that starts in the same folder again has the same id, and no other has it. It is not in
 * the database, because that may be restored elsewhere.
 */
export async function idOfFolder (folder: string): Promise<string> {
  const file = join(folder, 'nats-id')
  try {
    const id = readFileSync(file, 'utf8').trim()
    if (/^[\w-]{8,64}$/.test(id)) return id
  } catch {}
  const id = randomUUID()
  await writeFile(file, `${id}\n`, { mode: 0o600 })
  return id
}
