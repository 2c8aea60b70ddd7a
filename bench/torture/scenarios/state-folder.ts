import Sqlite from 'better-sqlite3'
import {
  closeSync, cpSync, existsSync, mkdirSync, openSync, readFileSync, renameSync, rmSync, statSync, truncateSync, writeFileSync, writeSync
} from 'node:fs'
import { join } from 'node:path'
import { call } from '../../wire.js'
import { type Arena } from '../arena.js'
import { createCrew } from '../crew.js'
import { type Scenario } from '../scenario.js'
import { expectRefusal } from '../starts.js'

interface Damage { name: string, words: RegExp, harm (file: string): void }

/** Damages to state folders. Each must be refused with a reason, and the folder must stay as it is. */
const damages: Damage[] = [
  { name: 'a truncated database', words: /database|service\.db/i, harm: (file) => truncateSync(file, Math.floor(statSync(file).size / 2)) },
  { name: 'an empty file', words: /database|service\.db/i, harm: (file) => truncateSync(file, 0) },
  {
    name: 'a text in its place', words: /database|service\.db/i, harm: (file) => writeFileSync(file, 'This is no database.\n'.repeat(400))
  },
  { name: "another program's database", words: /database|service\.db/i, harm: foreign },
  { name: 'a folder in its place', words: /folder|directory/i, harm: (file) => { rmSync(file); mkdirSync(file) } },
  { name: 'a database that is gone', words: /database|service\.db/i, harm: (file) => { renameSync(file, `${file}.elsewhere`) } },
  {
    name: 'a log without its database', words: /database|service\.db/i,
    harm: (file) => { renameSync(file, `${file}.elsewhere`); writeFileSync(`${file}-wal`, Buffer.alloc(4_152)) }
  }
]

export const stateFolder: Scenario = {
  name: 'state-folder',
  says: 'state folders in which something is broken, foreign or missing',
  short: false,
  async run (arena) {
    const template = join(arena.folder, 'template')
    const env = { OFFLINE_DEMO_WORDS_PER_SECOND: '0' }
    const first = await arena.ready({ env, home: template })
    const client = createCrew(arena, { home: template }).client(first)
    for (let count = 0; count < 20; count++) await client.turn(await client.newSession(), 'help')
    await arena.stop(first)
    for (const { name, words, harm } of damages) {
      const home = copyOf(template, join(arena.folder, name.replaceAll(/\W/g, '-')))
      const file = arena.databaseFile(home)
      harm(file)
      const before = contentOf(file)
      await expectRefusal(arena, name, { env, home }, words)
      // The refusal, and what is in the folder afterwards.
      arena.tally.checked(2)
      if (contentOf(file) !== before) arena.tally.wrong(`${name}: the start changed what was there`)
    }
    await damagedPages(arena, copyOf(template, join(arena.folder, 'pages')), env)
  }
}

/** Checks that pages of garbage are detected at the start: it is refused, or health reports the damage. */
async function damagedPages (arena: Arena, home: string, env: Record<string, string>): Promise<void> {
  const file = arena.databaseFile(home)
  const pages = Math.floor(statSync(file).size / 4096)
  const descriptor = openSync(file, 'r+')
  for (let page = Math.floor(pages / 3); page < pages - 1; page += 3) writeSync(descriptor, Buffer.alloc(4096, 0xa5), 0, 4096, page * 4096)
  closeSync(descriptor)
  const service = await arena.service({ env, home })
  arena.tally.checked()
  if (service.url === '') {
    if (/\n\s+at .*:\d+:\d+/.test(service.output())) {
      arena.tally.wrong(`damaged pages: the start ended with a stack trace: ${service.output().slice(0, 300)}`)
    }
    return
  }
  const answers = await Promise.all(['/readyz', '/health', '/api/system/health'].map(async (path) => await call(service.url + path)))
  if (!/corrupt|damage|malformed|integrity/i.test(JSON.stringify(answers))) {
    arena.tally.wrong('damaged pages: no health endpoint says that the database is damaged')
  }
  await arena.stop(service)
}

function copyOf (template: string, home: string): string {
  cpSync(template, home, { recursive: true })
  return home
}

function foreign (file: string): void {
  rmSync(file)
  const db = new Sqlite(file)
  db.exec("create table recipes (name text); insert into recipes values ('soup')")
  db.close()
}

function contentOf (file: string): string {
  if (!existsSync(file)) return 'nothing'
  return statSync(file).isDirectory() ? 'a folder' : readFileSync(file).toString('base64')
}
