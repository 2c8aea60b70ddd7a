import Sqlite from 'better-sqlite3'
import { DrizzleError } from 'drizzle-orm'
import fc from 'fast-check'
import { AsyncLocalStorage } from 'node:async_hooks'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '#test'
import { compiledOnce } from '../../services/ground/database/late-statements.js'
import { assertSqliteVersion, createDependents, lockStateFolder, openDatabase, StateFolderInUse } from '../../services/ground/database/index.js'

t.test('the database', async (t) => {
  t.test('is in WAL mode with foreign keys and all tables', async (t) => {
    const db = openDatabase({ file: join(t.testdir({}), 'service.db') })
    t.equal(db.sqlite.pragma('journal_mode', { simple: true }), 'wal')
    t.equal(db.sqlite.pragma('foreign_keys', { simple: true }), 1)
    const tables = db.sqlite.prepare("select name from sqlite_master where type = 'table'").pluck().all()
    for (const name of ['sessions', 'messages', 'streams', 'frames', 'prompts', 'steers', 'grants', 'auth_sessions', 'login_attempts', 'settings', 'usage']) t.ok(tables.includes(name), name)
    db.close()
  })

  t.test('finds the rows that go with a deleted row by an index', async (t) => {
    const db = openDatabase({ file: ':memory:' })
    const unfound = db.sqlite.prepare<[], string>(`select t.name || '.' || f."from" from sqlite_schema t, pragma_foreign_key_list(t.name) f
      where t.type = 'table' and not exists (select 1 from pragma_index_list(t.name) l, pragma_index_info(l.name) i
        where l.partial = 0 and i.seqno = 0 and i.name = f."from")`).pluck().all()
    t.same(unfound, [], 'without one, each delete reads the whole table')
    db.close()
  })

  t.test('deletes what goes with a row a few rows at a time', async (t) => {
    const db = openDatabase({ file: ':memory:' })
    const { sqlite } = db
    for (const id of ['long', 'other']) {
      sqlite.prepare("insert into sessions (id, profile, workspace, title, title_source, source, created_at, updated_at) values (?, 'default', '/w', '', 'automatic', 'webui', 1, 1)").run(id)
      sqlite.prepare(`with recursive n(i) as (select 1 union all select i + 1 from n where i < 450)
        insert into prompts (id, arrival, session_id, stream_id, kind, body, state, created_at) select @id || i, i, @id, 'none', 'approval', '{}', 'answered', 1 from n`).run({ id })
    }
    const count = (id: string): number => Number(sqlite.prepare('select count(*) from prompts where session_id = ?').pluck().get(id))
    const remove = createDependents(db, 'sessions')
    const left = [450]
    const over = new AbortController()
    const watching = (async () => {
      for (; !over.signal.aborted; await new Promise((resolve) => { setImmediate(resolve) })) left.push(count('long'))
    })()
    await remove('long').finally(() => over.abort())
    await watching
    left.push(count('long'))
    t.equal(left.at(-1), 50)
    t.ok(left.every((now) => now % 100 === 50), `${left.join()}: what others see meanwhile`)
    t.equal(count('other'), 450)
    sqlite.prepare("delete from sessions where id = 'long'").run()
    t.equal(count('long'), 0)
    db.close()
  })

  t.test('keeps nothing of what was deleted in its file', async (t) => {
    const file = join(t.testdir({}), 'service.db')
    const kept = (): boolean => readFileSync(file, 'latin1').includes('pelican')
    const db = openDatabase({ file })
    // Short and long values: in a page of their table, and in pages of their own.
    for (const chars of [10, 20_000]) {
      db.sqlite.prepare('insert into settings (key, value, updated_at) values (?, ?, 1)').run(`text${chars}`, JSON.stringify('x'.repeat(chars) + 'pelican'))
    }
    db.sqlite.pragma('wal_checkpoint(TRUNCATE)')
    t.ok(kept())
    db.sqlite.prepare("delete from settings where key like 'text%'").run()
    db.close()
    t.notOk(kept())
  })

  t.test('opens again on what it left, and migrates only once', async (t) => {
    const file = join(t.testdir({}), 'service.db')
    openDatabase({ file }).close()
    const db = openDatabase({ file })
    t.equal(db.sqlite.prepare('select count(*) from __drizzle_migrations').pluck().get(), readdirSync('drizzle').filter((name) => name.endsWith('.sql')).length)
    db.close()
  })

  t.test('a SQLite with the known fault is refused', async (t) => {
    for (const version of ['3.51.2', '3.50.9', '3.8.0', '2.9.9']) t.throws(() => assertSqliteVersion(version), /too old/, version)
    for (const version of ['3.51.3', '3.51.10', '3.52.0', '4.0.0']) t.doesNotThrow(() => assertSqliteVersion(version), version)
  })

  t.test('a value is compared in a form for which no statement is compiled anew, and by the same plan', async (t) => {
    const forms: Array<[string, string]> = [
      ['select a from t where a = ? and b>= ? order by b', 'select a from t where a = +? and b>= ? order by b'],
      ['select "t"."a" from "t" where "t"."a" = ? or b <= ? or b != ? group by b', 'select "t"."a" from "t" where "t"."a" = +? or b <= ? or b != ? group by b'],
      ['select a from t where a = :a and b >= :b and c = @c order by b', 'select a from t where a = +:a and b >= :b and c = +@c order by b'],
      ['select max(a) from t where b = ?', 'select max(a) from t where b = +?'],
      ['select a from t where b = ?', 'select a from t where b = ?'],
      ['update t set a = ? where b in (?, ?)', 'update t set a = ? where b in (?, ?)']
    ]
    for (const [text, compiled] of forms) t.equal(compiledOnce(text), compiled)
    const sqlite = new Sqlite(':memory:')
    t.teardown(() => sqlite.close())
    sqlite.exec('create table t (a text, b integer, c real, d blob); create index ab on t (a, b)')
    const ordered = 'select max(b) from t where a = ?'
    const planOf = (text: string): unknown => sqlite.prepare<[string], { detail: string }>(`explain query plan ${text}`).all('x')
    t.strictSame(planOf(compiledOnce(ordered)), planOf(ordered))
    const values = ['1', 1, 1.5, Buffer.from('1')]
    sqlite.prepare('insert into t values (?, ?, ?, ?)').run(...values)
    const found = sqlite.prepare(compiledOnce('select * from t where a = ? and b = ? and c = ? and d = ? order by b')).raw()
    t.strictSame(found.get(...values), values, 'values keep their types')
  })

  t.test('a session has one active stream at the most', async (t) => {
    const db = openDatabase({ file: ':memory:' })
    db.sqlite.exec("insert into sessions (id, profile, workspace, created_at, updated_at) values ('s', 'default', '/w', 1, 1)")
    const stream = db.sqlite.prepare("insert into streams (id, session_id, kind, state, generation, started_at) values (?, 's', 'chat', ?, 1, 1)")
    stream.run('a', 'active')
    t.throws(() => stream.run('b', 'active'), /UNIQUE/)
    t.doesNotThrow(() => stream.run('c', 'closed'))
    db.sqlite.exec("update streams set state = 'cancelling' where id = 'a'")
    t.doesNotThrow(() => stream.run('b', 'active'))
    db.close()
  })
})

t.test('the writer', async (t) => {
  const open = () => {
    const failures: Error[] = []
    const db = openDatabase({ file: ':memory:', onWriteFailure: (error) => failures.push(error) })
    db.sqlite.exec('create table log (value text unique)')
    const insert = db.sqlite.prepare('insert into log values (?)')
    const rows = () => db.sqlite.prepare('select value from log order by rowid').pluck().all()
    return { db, rows, failures, add: (value: string) => { insert.run(value) } }
  }

  t.test('commits what is enqueued in one tick together, and tells afterwards', async (t) => {
    const { db, rows, add } = open()
    const told: string[] = []
    for (const value of ['a', 'b', 'c']) db.enqueue({ write: () => add(value), committed: () => told.push(`${value}:${rows().length}`) })
    t.same(rows(), [], 'nothing before the tick is over')
    await new Promise((resolve) => setImmediate(resolve))
    t.same(rows(), ['a', 'b', 'c'])
    t.same(told, ['a:3', 'b:3', 'c:3'], 'told only when everything of the batch is in the database')
    db.close()
  })

  t.test('a refused write takes nobody with it', async (t) => {
    const { db, rows, add } = open()
    const events: string[] = []
    for (const value of ['a', 'b', 'a', 'c']) {
      db.enqueue({ write: () => add(value), committed: () => events.push(`ok ${value}`), refused: () => events.push(`refused ${value}`) })
    }
    db.flush()
    t.same(rows(), ['a', 'b', 'c'])
    t.same(events, ['ok a', 'ok b', 'refused a', 'ok c'])
    db.close()
  })

  t.test('a transaction comes after what was enqueued before it and rolls back alone', async (t) => {
    const { db, rows, add } = open()
    db.enqueue({ write: () => add('first') })
    t.equal(db.transaction(() => {
      add('second')
      return rows().length
    }, { durable: true }), 2)
    t.throws(() => db.transaction(() => {
      add('third')
      throw new Error('no')
    }), /no/)
    t.same(rows(), ['first', 'second'])
    t.equal(db.sqlite.pragma('synchronous', { simple: true }), 1, 'back to NORMAL after a durable transaction')
    db.close()
  })

  t.test('what was enqueued, and what follows from it, is not done in the name of who commits it', async (t) => {
    const { db } = open()
    const acting = new AsyncLocalStorage<string>()
    const seen: Array<[what: string, by: string | undefined]> = []
    const see = (what: string) => () => { seen.push([what, acting.getStore()]) }
    const enqueue = () => db.enqueue({ write: see('written'), committed: see('committed') })
    enqueue()
    acting.run('first', () => db.transaction(see('in a transaction')))
    acting.run('second', enqueue)
    await Promise.all(['third', 'fourth'].map(async (name) => await acting.run(name, async () => {
      await db.durably(see('durably'))
      see('and then')()
    })))
    t.same(seen, [
      ['written', undefined], ['committed', undefined], ['in a transaction', 'first'], ['written', undefined], ['durably', 'third'],
      ['durably', 'fourth'], ['committed', undefined], ['and then', 'third'], ['and then', 'fourth']
    ])
    db.close()
  })

  t.test('inside a transaction enqueue and transaction join it, and tell after it', async (t) => {
    const { db, rows, add } = open()
    const told: string[] = []
    db.transaction(() => {
      db.enqueue({ write: () => add('a'), committed: () => told.push('a') })
      db.transaction(() => add('b'))
      db.afterCommit(() => told.push('b'))
      t.same(told, [])
    })
    t.same(told, ['a', 'b'])
    t.same(rows(), ['a', 'b'])
    t.throws(() => db.transaction(() => {
      db.enqueue({ write: () => add('c'), committed: () => told.push('c') })
      throw new Error('no')
    }))
    t.same(told, ['a', 'b'], 'what was rolled back is never told')
    db.close()
  })

  t.test('a disk that refuses is tried again, in order, and nothing is told early', async (t) => {
    const { db, rows, add, failures } = open()
    let full = true
    const told: string[] = []
    db.enqueue({
      write () {
        if (full) throw Object.assign(new Error('disk is full'), { code: 'SQLITE_FULL' })
        add('a')
      },
      committed: () => told.push('a')
    })
    db.enqueue({ write: () => add('b'), committed: () => told.push('b') })
    await new Promise((resolve) => setTimeout(resolve, 20))
    t.same([rows(), told, failures.length > 0], [[], [], true])
    full = false
    db.flush()
    t.same([rows(), told], [['a', 'b'], ['a', 'b']])
    db.close()
  })

  t.test('what cannot be refused any more waits for the disk in its place, and the trouble has a name', async (t) => {
    const { db, rows, add, failures } = open()
    // A retry does not keep a process alive.
    const alive = setInterval(() => {}, 50)
    t.teardown(() => clearInterval(alive))
    let code: string | null = 'SQLITE_FULL'
    const refuse = (): void => { if (code !== null) throw new DrizzleError({ message: 'wrapped', cause: Object.assign(new Error(code), { code }) }) }
    db.enqueue({ write () { refuse(); add('a') } })
    db.soonest(() => add('b'))
    await t.rejects(db.durably(() => add('never')), 'who waits for an answer is told')
    t.equal(db.trouble()?.kind, 'full')
    t.throws(() => db.transaction(() => add('never')), { message: 'wrapped' })
    db.catchUp()
    t.same([rows(), failures.length], [[], 1], 'it is told once')
    code = 'SQLITE_BUSY'
    const waiting = db.durably(() => add('c'))
    while (db.trouble()?.kind !== 'locked') await new Promise((resolve) => setTimeout(resolve, 5))
    code = null
    await waiting
    t.same(rows(), ['a', 'b', 'c'])
    await new Promise((resolve) => setImmediate(resolve))
    t.equal(db.trouble(), null)
    db.close()
  })

  t.test('any mix of writes keeps its order', async (t) => {
    await fc.assert(fc.asyncProperty(fc.array(fc.record({ kind: fc.constantFrom('enqueue', 'transaction', 'tick', 'refused'), durable: fc.boolean() }), { maxLength: 40 }), async (steps) => {
      const { db, rows, add } = open()
      const expected: string[] = []
      for (const [index, { kind, durable }] of steps.entries()) {
        const value = String(index)
        if (kind === 'tick') await new Promise((resolve) => setImmediate(resolve))
        else if (kind === 'refused') db.enqueue({ write: () => { throw new Error('refused') } })
        else {
          expected.push(value)
          if (kind === 'enqueue') db.enqueue({ write: () => add(value) })
          else db.transaction(() => add(value), { durable })
        }
      }
      db.flush()
      t.same(rows(), expected)
      db.close()
    }), { numRuns: 50 })
  })
})

t.test('the state folder', async (t) => {
  const holder = `
    import Sqlite from 'better-sqlite3'
    import { writeFileSync } from 'node:fs'
    const [folder] = process.argv.slice(2)
    const lock = new Sqlite(folder + '/server.lock')
    lock.exec('begin exclusive')
    writeFileSync(folder + '/server.pid', process.pid + '\\n')
    process.send('locked')
    // What nobody holds is collected, and closed.
    setInterval(() => lock.open, 1000)`

  t.test('belongs to one server, and the second is told whose it is', async (t) => {
    const folder = t.testdir({})
    const unlock = lockStateFolder(folder)
    t.throws(() => lockStateFolder(folder), { name: 'StateFolderInUse', message: new RegExp(`process ${process.pid}\\)`) })
    unlock()
    t.notOk(existsSync(join(folder, 'server.pid')))
    lockStateFolder(folder)()
  })

  t.test('is free again after its holder was killed', async (t) => {
    const folder = t.testdir({})
    // Beside the tests, so that the child finds the packages of this project.
    const script = join(import.meta.dirname, `lock-holder-${process.pid}.mjs`)
    writeFileSync(script, holder)
    const child = fork(script, [folder], { execArgv: [], env: { PATH: process.env.PATH } })
    t.teardown(async () => {
      const { rmSync } = await import('node:fs')
      rmSync(script, { force: true })
    })
    await once(child, 'message')
    t.throws(() => lockStateFolder(folder), new StateFolderInUse(child.pid!))
    child.kill('SIGKILL')
    await once(child, 'exit')
    const unlock = lockStateFolder(folder)
    t.equal(new Sqlite(join(folder, 'other.db')).open, true)
    unlock()
  })
})
