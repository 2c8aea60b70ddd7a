import { existsSync, mkdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { start } from '../../support/app.js'
import { eventually } from '../../support/chat.js'
import { temporaryFolder } from '../../support/folder.js'

t.test('what a crash has left is removed at the next start, wherever it lies, and nothing else', async (t) => {
  const folder = temporaryFolder(t, 'leftovers')
  const first = await start(t, { folder })
  const id = await first.newSession({ workspace: first.workspace })
  t.equal((await first.get(`/api/list?session_id=${id}`)).status, 200)
  await first.stop()

  const outside = join(folder, 'outside')
  mkdirSync(outside)
  mkdirSync(join(first.workspace, 'deep', 'er'), { recursive: true })
  symlinkSync(outside, join(first.workspace, 'link'))
  const name = '.agent-0123456789abcdef.tmp'
  const left = [join(first.workspace, name), join(first.workspace, 'deep', 'er', name), join(folder, 'home', '.config.yaml.123.456.tmp')]
  const kept = [join(outside, name), join(first.workspace, 'deep', 'mine.tmp'), join(first.workspace, '.agent-notes.tmp'), join(folder, 'home', 'config.yaml.tmp')]
  for (const path of [...left, ...kept]) writeFileSync(path, 'half')
  // A file says of itself when it was written; that is not asked.
  utimesSync(kept[0]!, 0, 0)

  // The clock of the file system ticks only every few milliseconds.
  const again = await start(t, { folder, clock: { now: () => Date.now() + 1_000 } })
  await eventually('an end of what was left', () => !left.some((path) => existsSync(path)))
  for (const path of kept) t.ok(existsSync(path), path)

  const later = join(again.workspace, '.agent-fedcba9876543210.tmp')
  writeFileSync(later, 'in the making')
  await again.stop()
  t.ok(existsSync(later), 'what is new may be somebody\'s work')
})
