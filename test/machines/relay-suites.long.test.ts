import { spawn } from 'node:child_process'
import t from '#test'
import { asset } from '../../services/ground/assets.js'
import { needs } from '../support/programs.js'

/** What people do with files and git in a workspace. Each list runs in one process. */
const lists = [
  [
    'workspace/files/attachments', 'workspace/files/file-previews', 'workspace/files/search', 'workspace/files/leftovers',
    'workspace/files/uploads.slow', 'workspace/files/trash.slow', 'workspace/files/files.slow', 'workspace/git/git.slow'
  ],
  // It triggers garbage collection again and again, so nothing else should be in the process.
  ['workspace/checkpoints/checkpoints.slow'],
  [
    'workspace/files/archives.slow', 'workspace/files/file-edits.slow', 'workspace/files/folder-download.slow', 'workspace/git/git-remotes.slow',
    'workspace/git/git-embedded.long', 'workspace/workspaces', 'chat/references', 'checks/checks', 'checks/after-turns.slow'
  ]
]

/** Runs the suites of a workspace again, with every session on a machine that has joined the service. */
for (const [index, suites] of lists.entries()) {
  t.test(`what is done in a workspace is the same on another machine, part ${index + 1}`, needs('nats-server'), async (t) => {
    const paths = suites.map((suite) => `test/${suite}.test.ts`)
    const child = spawn(process.execPath, [asset('test/support/several.js')], {
      env: { ...process.env, TEST_FILES: paths.join(' '), TEST_MACHINE: 'box', TEST_TIMEOUT_S: '240' },
      stdio: ['ignore', 'pipe', 'inherit']
    })
    t.teardown(() => { child.kill() })
    let output = ''
    for await (const text of child.stdout.setEncoding('utf8') as AsyncIterable<string>) {
      output += text
      for (let said = /^# file (\{.*\})\n/m.exec(output); said !== null; said = /^# file (\{.*\})\n/m.exec(output)) {
        const { path, isGood, counts, cpu } = JSON.parse(said[1]!) as { path: string, isGood: boolean, counts: { pass: number }, cpu: number }
        t.ok(isGood && counts.pass > 0, `${path}, ${cpu.toFixed(1)} s of CPU`)
        if (!isGood) t.comment(output.slice(0, said.index).slice(0, 20_000))
        paths.splice(paths.indexOf(path), 1)
        output = output.slice(said.index + said[0].length)
      }
    }
    t.same(paths, [], 'every one has said how it went')
  })
}
