import { spawn } from 'node:child_process'
import t from 'tap'
import { asset } from '../../services/ground/assets.js'
import { needs } from '../support/programs.js'

/** What people do with files and git in a workspace, where it costs little. */
const usual = ['files/attachments', 'files/file-previews', 'files/search', 'files/leftovers', 'files/uploads.slow', 'files/trash.slow', 'files/files.slow', 'git/git.slow']
/** With TEST_SUITES=all (npm run test:machine): these take twice as long again. */
const others = ['files/archives.slow', 'checkpoints/checkpoints.slow', 'files/file-edits.slow', 'files/folder-download.slow', 'git/git-remotes.slow', 'git/git-embedded.slow', 'workspaces']

const suites = process.env.TEST_SUITES === 'all' ? [...usual, ...others] : usual

/** The suites of a workspace once more, with every session on a machine that has joined the service: all of them in one process. */
t.test('what is done in a workspace is the same on another machine', needs('nats-server'), async (t) => {
  const paths = suites.map((suite) => `test/workspace/${suite}.test.ts`)
  const child = spawn(process.execPath, ['--enable-source-maps', asset('test/support/several.js')], {
    env: { ...process.env, TEST_FILES: paths.join(' '), TEST_MACHINE: 'box', TAP_TIMEOUT: '240' },
    stdio: ['ignore', 'pipe', 'inherit']
  })
  t.teardown(() => { child.kill() })
  let output = ''
  for await (const text of child.stdout.setEncoding('utf8') as AsyncIterable<string>) {
    output += text
    for (let said = /^ *# file (\{.*\})\n/m.exec(output); said !== null; said = /^ *# file (\{.*\})\n/m.exec(output)) {
      const { path, isGood, counts, cpu } = JSON.parse(said[1]!) as { path: string, isGood: boolean, counts: { pass: number }, cpu: number }
      const problems = output.slice(0, said.index)
      t.ok(isGood && counts.pass > 0, `${path}, ${cpu.toFixed(1)} s of CPU`, isGood ? {} : { problems: problems.slice(Math.max(0, problems.search(/^ *not ok/m))).slice(0, 20_000) })
      paths.splice(paths.indexOf(path), 1)
      output = output.slice(said.index + said[0].length)
    }
  }
  t.same(paths, [], 'every one has said how it went')
})
