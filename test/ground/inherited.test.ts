import { spawnSync } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import t from '#test'
import { closeInherited } from '../../services/ground/process/inherited-files.js'

const listed = (): string => spawnSync('ls', ['/proc/self/fd'], { encoding: 'utf8' }).stdout

/** Returns the open descriptors of a program that a process with descriptor 40 has started. */
function inherited (how: 'not at all' | 'all' | 'but 40'): string[] {
  const file = openSync('/dev/null', 'r')
  try {
    const stdio = Array.from({ length: 41 }, (_, number) => number === 40 ? file : number < 3 ? 'pipe' as const : 'ignore' as const)
    return spawnSync(process.execPath, [fileURLToPath(import.meta.url), how], { encoding: 'utf8', stdio }).stdout.trim().split('\n')
  } finally {
    closeSync(file)
  }
}

const [, , how] = process.argv
if (how !== undefined) {
  // This is the process in between.
  if (how !== 'not at all') closeInherited(how === 'but 40' ? [40] : [])
  process.stdout.write(listed())
} else {
  t.test('what a process was given open is not handed on', { skip: process.platform !== 'linux' && 'needs /proc' }, async (t) => {
    t.ok(inherited('not at all').includes('40'), 'Node alone hands it on')
    t.notOk(inherited('all').includes('40'))
    t.ok(inherited('but 40').includes('40'), 'unless it is wanted')
  })
}
