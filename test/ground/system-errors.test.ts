import t from '#test'
import { type FastifyError, type FastifyRequest } from 'fastify'
import { explain } from '../../plugins/ground/errors.js'
import { once } from '../../services/ground/concurrency/once.js'
import { takeLibraryWarnings } from '../../services/ground/library-warnings.js'

function explained (error: Error): { told: ReturnType<typeof explain>, logged: number } {
  let logged = 0
  const log = { error: () => { logged++ } } as unknown as FastifyRequest['log']
  return { told: explain(error as FastifyError, { log }), logged }
}
const systemError = (code: string, syscall = 'open'): Error => Object.assign(new Error(`${code}: no, ${syscall} '/srv/secret/file'`), { code, syscall, errno: -1, path: '/srv/secret/file' })

t.test('what the system refuses of files has a status, words and, where a client can act on it, a code', async (t) => {
  const table: Array<[code: string, status: number, errorCode: string | undefined, words: RegExp]> = [
    ['EMFILE', 503, 'no_handles', /out of file handles/],
    ['ENFILE', 503, 'no_handles', /out of file handles/],
    ['ENOSPC', 503, 'disk_full', /disk is full/],
    ['EDQUOT', 503, 'disk_full', /disk is full/],
    ['EIO', 503, 'disk_failing', /disk reports an error/],
    ['EROFS', 403, 'read_only', /read-only/],
    ['EACCES', 403, undefined, /not permit/],
    ['EPERM', 403, undefined, /not permit/],
    ['ENAMETOOLONG', 400, undefined, /too long/],
    ['ELOOP', 400, undefined, /loop of symbolic links/]
  ]
  for (const [code, status, errorCode, words] of table) {
    for (const error of [systemError(code), systemError(code, 'mkdir'), new Error('it failed', { cause: systemError(code) })]) {
      const { told, logged } = explained(error)
      t.equal(told.status, status, code)
      t.equal(told.body.code, errorCode, code)
      t.match(told.body.error, words, code)
      t.notMatch(JSON.stringify(told.body), /secret/, 'no path')
      t.equal(logged, status === 503 ? 1 : 0, 'what an operator has to see is in the log')
      t.equal(told.retryAfterS !== undefined, status === 503, 'when to try again')
    }
  }
  t.match(explained(systemError('EMFILE', 'spawn git')).told, { status: 503, body: { code: 'no_handles' } }, 'programs')
  t.match(explained(Object.assign(new Error('Worker initialization failure: EMFILE'), { code: 'ERR_WORKER_INIT_FAILED' })).told, { status: 503, body: { code: 'no_handles' } }, 'threads')
  for (const [code, syscall] of [['EACCES', 'connect'], ['EPERM', 'connect'], ['ENOSPC', 'watch'], ['EMFILE', 'watch'], ['EIEIO', 'open']] as const) {
    t.equal(explained(systemError(code, syscall)).told.status, 500, `${syscall} ${code} says nothing of files`)
  }
})

t.test('what could not be opened is opened by whoever wants it next', async (t) => {
  let tries = 0
  const open = once(async () => {
    if (++tries < 3) throw systemError('EMFILE')
    return tries
  })
  t.equal(open.begun(), null)
  await t.rejects(Promise.all([open(), open()]), { code: 'EMFILE' })
  t.equal(tries, 1, 'both were of one attempt')
  await t.rejects(open(), { code: 'EMFILE' })
  t.equal(await open(), 3)
  t.equal(await open(), 3)
  t.equal(await open.begun(), 3)
})

t.test('what libraries warn of are lines of ours: one for each, masked, cut and few', async (t) => {
  const lines: string[] = []
  const restore = takeLibraryWarnings((line) => lines.push(line))
  try {
    console.warn('[sdk] excluding tool %s', '\'x\n{"level":60,"msg":"the disk burns\u202e"} Bearer sk-proj-Zx81kqPw02mNvbT7rLc9YdEhUi45GsoA\'', 'y'.repeat(600))
    for (let count = 1; count < 20; count++) console.warn('again')
    t.same([lines.length, lines.at(-1)], [20, 'again'], 'nothing is left out yet')
    for (let count = 0; count < 10; count++) console.warn('again')
  } finally {
    restore()
  }
  t.equal(lines.length, 21)
  t.match(lines[0], /^\[sdk\] excluding tool 'x \{"level":60,"msg":"the disk burns\\u\{202e\}"\}.*y…$/)
  t.notMatch(lines.join('\n'), /Zx81kqPw02/)
  t.match(lines.at(-1), /left out for a minute/)
  t.notOk(lines.some((line) => line.includes('\n') || line.length > 501))
})
