import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as nextPass } from 'node:timers/promises'
import t from '#test'
import { createProfiles } from '../../services/areas/profiles/index.js'

t.test('one pass of the event loop sees one state of the settings, and its own change at once', async (t) => {
  const home = mkdtempSync(join(tmpdir(), 'one-look-'))
  t.teardown(() => rmSync(home, { recursive: true, force: true }))
  const profiles = createProfiles({ home, env: {}, clock: { now: Date.now } })
  const write = (tokens: number): void => writeFileSync(join(home, 'config.yaml'), `max_tokens: ${tokens}\n`)
  const tokens = (): unknown => profiles.settings('default').configAsWritten['max_tokens']
  const seen: unknown[] = []
  profiles.on('changed', (_, { configAsWritten }) => { seen.push(configAsWritten['max_tokens']) })

  write(5)
  t.equal(tokens(), 5)
  write(17)
  t.equal(tokens(), 5, 'a change by hand is not seen in the middle of a pass')
  await nextPass()
  t.equal(tokens(), 17, 'but in the next one')

  const changed = profiles.configure('default', (config) => config.set(['max_tokens'], 230))
  t.equal(tokens(), 17)
  await changed
  t.equal(tokens(), 230, 'what the service has changed itself is seen when that is acknowledged')
  t.same(seen, [17, 230], 'and each change is told once')
})
