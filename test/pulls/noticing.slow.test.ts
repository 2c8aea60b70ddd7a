import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '#test'
import { pullsNamedIn } from '../../services/areas/pulls/noticing.js'
import { eventually, startChat } from '../support/chat.js'
import { sessionOnForge, startForge, token, type ForgeKind } from '../support/forge.js'
import { needsGit } from '../support/git-repository.js'

const own = { host: 'github.com', repository: 'team/app' }

t.test('addresses of pull requests of one repository are found in results, and of no other', async (t) => {
  const cases: Array<[text: string, numbers: number[], of?: typeof own]> = [
    ['https://github.com/team/app/pull/7', [7]],
    ['"content":"https://github.com/team/app/pull/7\\n"', [7]],
    ['Opened <https://github.com/Team/App/pull/12>, and https://github.com/team/app/pull/9/.', [12, 9]],
    ['https://github.com/team/app/pull/7?x=1#discussion', [7]],
    ['remote: View merge request for x:\nremote:   https://gitlab.com/group/sub/app/-/merge_requests/3', [3], { host: 'gitlab.com', repository: 'group/sub/app' }],
    ['Visit the existing pull request: https://git.example.org:3000/team/app/pulls/5', [5], { host: 'git.example.org:3000', repository: 'team/app' }],
    ['https://github.com/team/app/pull/new/feature', []],
    ['https://github.com/evil/app/pull/7', []],
    ['https://github.com/x/team/app/pull/7', []],
    ['https://github.com.evil.test/team/app/pull/7', []],
    ['https://github.com@evil.test/team/app/pull/7', []],
    ['https://evil.test/https://github.com/team/app/pull/7', []],
    ['https://evil.test/?u=https://github.com/team/app/pull/7', []],
    ['https://github.com:444/team/app/pull/7', []],
    ['https://github.com/team/app/../../evil/app/pull/7', []],
    ['https://github.com/team%2fapp/pull/7', []],
    ['https://github.com/team/app/pull/0', []],
    ['https://github.com/team/app/pull/7/files', []],
    ['https://github.com/team/app/pull/99999999999', []],
    [`https://${'a'.repeat(100_000)}`, []]
  ]
  for (const [text, numbers, of = own] of cases) t.same(pullsNamedIn(text, of), numbers, text.slice(0, 100))
  t.equal(pullsNamedIn(Array.from({ length: 500 }, (_, at) => `https://github.com/team/app/pull/${at + 1}`).join(' '), own).length, 20)
})

t.test('a pull request that the agent opened by itself is followed', needsGit, async (t) => {
  const service = await startChat(t, { env: { SVC_WEBUI_WEBHOOK_PRIVATE: '1', PATH: '/usr/bin:/bin' } })
  const followed = () => service.app.db.sqlite.prepare('select session_id, repository, number from followed_pulls').all()
  const says = async (id: string, root: string, text: string): Promise<void> => {
    writeFileSync(join(root, 'said'), text)
    await service.turn(id, 'Read what it said', service.model([{ tool: 'read_file', args: { path: 'said' } }], [{ text: 'Done.' }]))
  }
  /** Silence cannot be awaited, so a second turn ends after everything that the first one has begun. */
  const settled = async (): Promise<void> => { await new Promise((resolve) => setImmediate(resolve)); await eventually('quiet', () => service.app.chat.activeTurns() === 0) }

  /** The forge's answer is compared with the branches of the folder, which takes a moment. */
  const quiet = async (): Promise<void> => { await eventually('nothing is noticed any more', () => service.app.pulls.size().noticing === 0) }

  for (const [kind, path] of [['github', 'pull/12'], ['gitlab', '-/merge_requests/12'], ['gitea', 'pulls/12']] as Array<[ForgeKind, string]>) {
    await t.test(`${kind}: by the address in a result, and only that of the own branch`, async (t) => {
      const forge = await startForge(t, kind)
      const { id, repository, sha } = await sessionOnForge(service, forge, kind)
      const other = { title: 'Of others', body: '', base: 'main', sha, state: 'open' as const, draft: false, reviewers: [], labels: [], threads: [], comments: [] }
      forge.pulls.push({ ...other, number: 11, head: 'elsewhere' }, { ...other, number: 12, head: 'feature' })
      const before = forge.requests.length
      await says(id, repository.root, `https://evil.test/team/app/${path} and ${forge.url}/evil/app/${path}, see ${forge.url}/team/app/pull/new/feature`)
      await settled()
      t.equal(forge.requests.length, before, 'the forge is not even asked')
      await says(id, repository.root, `${forge.url}/team/app/${path.replace('12', '11')}`)
      await eventually('the forge is asked', () => forge.requests.length > before)
      await settled()
      t.same(followed(), [], 'one of somebody else in the same repository is not followed')
      await says(id, repository.root, `Created ${forge.url}/team/app/${path}.`)
      await eventually('it is followed', () => followed().length === 1)
      await says(id, repository.root, `Again ${forge.url}/team/app/${path}`)
      await settled()
      t.same(followed(), [{ session_id: id, repository: 'team/app', number: 12 }], 'once')
      t.notOk(forge.requests.some(({ path }) => path.includes('evil')))
      t.ok(forge.requests.every(({ headers }) => JSON.stringify(headers).includes(token)))
      await quiet()
      service.app.db.sqlite.exec('delete from followed_pulls')
      repository.git('checkout', '--quiet', 'main')
      const askedAbout = (): number => forge.requests.filter(({ method, path }) => method === 'GET' && path.endsWith('/12')).length
      const first = askedAbout()
      await says(id, repository.root, `Created ${forge.url}/team/app/${path}`)
      await eventually('the forge is asked about it', () => askedAbout() > first)
      await quiet()
      t.same(followed(), [], 'one of before, of a branch that is not checked out, is not followed')
      forge.pulls[1]!.createdAt = new Date().toISOString()
      forge.pulls[1]!.sha = 'c'.repeat(40)
      const second = askedAbout()
      await says(id, repository.root, `Created ${forge.url}/team/app/${path}`)
      await eventually('the forge is asked about it again', () => askedAbout() > second)
      await quiet()
      t.same(followed(), [], 'nor one of a commit that no branch has here')
      forge.pulls[1]!.sha = sha
      await says(id, repository.root, `Created ${forge.url}/team/app/${path}, see ${forge.url}/team/app/${path.replace('12', '99')}`)
      await eventually('it is followed although its branch was left', () => followed().length === 1)
      await quiet()
      repository.git('checkout', '--quiet', 'feature')
      forge.pulls[1]!.state = 'closed'
      service.app.db.sqlite.exec('delete from followed_pulls')
      const asked = forge.requests.length
      await says(id, repository.root, `Closed ${forge.url}/team/app/${path}`)
      await eventually('the forge is asked', () => forge.requests.length > asked)
      await settled()
      t.same(followed(), [], 'and none that is over')
    })
  }

  await t.test('without a token nobody is asked, and a forge that does not answer harms no turn', async (t) => {
    const forge = await startForge(t)
    const { id, repository } = await sessionOnForge(service, forge, 'github')
    forge.instead = () => ({ status: 500, body: { message: 'x' } })
    await says(id, repository.root, `${forge.url}/team/app/pull/12`)
    await settled()
    await service.post('/api/forges', { host: forge.host, token: '' })
    const before = forge.requests.length
    await says(id, repository.root, `${forge.url}/team/app/pull/12`)
    await settled()
    t.equal(forge.requests.length, before)
    t.same(followed(), [])
  })
})
