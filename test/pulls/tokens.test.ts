import { appendFileSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '#test'
import { createForgeTokens } from '../../services/areas/pulls/tokens.js'
import { dataOf } from '../../services/areas/pulls/forges/shared.js'
import { systemClock } from '../../services/ground/time/clock.js'
import { start } from '../support/app.js'

const token = 'tok_0123456789abcdefABCDEF0123456789'

t.test('a token goes to the server that it is for', async (t) => {
  const service = await start(t)
  const home = join(service.folder, 'home')
  const { profiles } = service.app
  const tokens = createForgeTokens({
    profiles, clock: systemClock, isPrivateAllowed: true,
    ask: async (program, [, , , host]) => `${program}-is-signed-in-at-${host}`
  })
  const set = async (wishes: Parameters<typeof tokens.set>[1]) => await tokens.set('default', wishes)

  await t.test('not what the .env holds for something else', async (t) => {
    appendFileSync(join(home, '.env'), `\nSLACK_TOKEN=${token}\n`)
    t.match(await set({ host: 'slack', kind: 'gitea', url: 'http://127.0.0.1:9/api/v1' }), { source: null })
    t.match(await set({ host: 'slack', token: `${token}1` }), { source: 'profile' })
    const env = readFileSync(join(home, '.env'), 'utf8')
    t.ok(env.includes(`SLACK_TOKEN=${token}\n`), 'and it is not written over')
    t.match(readFileSync(join(home, 'config.yaml'), 'utf8'), /token_env: SLACK_2_TOKEN/)
  })

  await t.test('not what a program is signed in with at another', async (t) => {
    t.match(await set({ host: 'github.com', url: 'https://api.github.com/' }), { source: 'gh' })
    t.match(await set({ host: 'github.com', url: 'http://127.0.0.1:9/api/v3' }), { source: null })
    t.match(await set({ host: 'github.com', url: 'http://github.com.localhost/api/v3' }), { source: null })
    t.match(await set({ host: 'git.localhost', kind: 'github' }), { source: 'gh' })
    t.match(await set({ host: 'git.localhost', kind: 'gitlab' }), { source: 'glab' }, 'nor that of another program')
  })
})

t.test('a refusal of GraphQL is said without secrets, and without what no screen shows', async (t) => {
  const seat = { name: 'GitHub', api: 'https://api.github.com', token, authorization: {} }
  const errors = [{ message: 'No \u001b[31mghp_0123456789abcdefABCDEF0123456789abcd\u202e' }]
  t.throws(() => dataOf(seat, { errors }), { code: 'forge_refused', message: 'GitHub refused: No [redacted]\\u{202e}' })
})
