import { setPriority } from 'node:os'
import { UnusableDatabase, wrappedCode } from '../../ground/database/index.js'
import { asError } from '../../ground/errors.js'
import { makeBackup } from './backup.js'
import { quickCheck } from './checking.js'
import { type Failure, type Order, type Reply } from './program.js'

const lowPriority = 10

/** Entry point of the process that makes backups and checks databases: an order as argument, a reply on standard output. */
setPriority(lowPriority)
process.stdout.write(JSON.stringify(reply(JSON.parse(process.argv[2] ?? '') as Order)))

function reply (order: Order): Reply {
  try {
    return order.task === 'backup' ? { backup: makeBackup(order) } : { problem: quickCheck(order.file) }
  } catch (error) {
    return { failure: failureOf(error), message: error instanceof UnusableDatabase ? error.message : String(error) }
  }
}

function failureOf (error: unknown): Failure {
  const code = wrappedCode(error)
  if (/^(SQLITE_FULL|ENOSPC|EDQUOT)/.test(code)) return 'no_room'
  if (/^SQLITE_(BUSY|LOCKED)/.test(code)) return 'locked'
  return /^SQLITE_(CORRUPT|NOTADB)/.test(code) || / is damaged/.test(asError(error).message) ? 'damaged' : 'failed'
}
