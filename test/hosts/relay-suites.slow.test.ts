import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import t from 'tap'
import { asset } from '../../services/ground/assets.js'
import { needs } from '../support/programs.js'

const run = promisify(execFile)

/** What people do with files and git, once more: with every session on a machine that has joined the service. */
for (const suite of ['files/file-edits', 'files/folder-download', 'git/git-local']) {
  t.test(`${suite} on another machine`, needs('nats-server'), async (t) => {
    const file = asset(`test/workspace/${suite}.slow.test.js`)
    await t.resolves(run(process.execPath, [file], { env: { ...process.env, TEST_MACHINE: 'box', TAP_TIMEOUT: '240' }, maxBuffer: 256 * 1_024 * 1_024 }))
  })
}
