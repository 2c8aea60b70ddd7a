import fc from 'fast-check'
import { appendFileSync, linkSync, mkdirSync, realpathSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from '#test'
import { type Workers } from '../../../services/ground/workers/index.js'
import { createListings } from '../../../services/workspace/files/listings.js'
import { listFolder } from '../../../services/workspace/files/listing-task.js'
import { tries } from '../../support/tries.js'

/** Creates listings of a folder of its own, and counts how often it is read. */
function prepared (t: Test, limits = {}) {
  const root = realpathSync(t.testdir({ a: 'one', b: 'two', sub: { inner: 'x' } }))
  const territory = { root, closed: [] as string[] }
  let looks = 0
  const during = { look: async () => {} }
  const workers = {
    async run (task: string, input: Parameters<typeof listFolder>[0]) {
      looks++
      const listing = await listFolder(input)
      await during.look()
      return listing
    }
  } as unknown as Workers
  const listings = createListings({ workers, limits })
  t.teardown(() => listings.close())
  return {
    root,
    territory,
    listings,
    during,
    at: (path: string) => join(root, path),
    list: async (path = '.') => await listings.list(territory, path),
    looks: () => looks,
    names: async (path = '.') => (JSON.parse((await listings.list(territory, path)).json.toString()) as { entries: Array<{ name: string }> }).entries.map(({ name }) => name)
  }
}

t.test('a folder in which nothing changes is looked at once', async (t) => {
  const { list, looks, territory, listings, at } = prepared(t)
  const first = await list()
  t.equal(await list(), first)
  t.equal(await list('sub/..'), first, 'by another spelling')
  t.equal(await list(at('')), first)
  t.equal(looks(), 1)
  await Promise.all(Array.from({ length: 20 }, async () => await list()))
  t.equal(looks(), 1)
  const hidden = JSON.parse((await listings.list({ ...territory, closed: [at('a')] }, '.')).json.toString()) as { entries: Array<{ name: string }> }
  t.same(hidden.entries.map(({ name }) => name), ['sub', 'b'], 'what is closed to one is not shown to it')
})

t.test('whatever changes is in the next list', async (t) => {
  const { list, looks, at, territory } = prepared(t)
  let seen = await list()
  const changes: Record<string, () => void> = {
    'a new file': () => writeFileSync(at('c'), ''),
    'more in it': () => appendFileSync(at('c'), 'more'),
    'other content of the same size': () => writeFileSync(at('c'), 'less'),
    'another time': () => utimesSync(at('a'), 1, 1),
    'another name': () => renameSync(at('a'), at('z')),
    'one less': () => rmSync(at('b')),
    'a new folder': () => mkdirSync(at('new')),
    'something in a folder': () => writeFileSync(at('sub/more'), ''),
    'a folder in the place of another': () => {
      renameSync(at('sub'), at('old'))
      mkdirSync(at('sub'))
    },
    'a symlink': () => symlinkSync('z', at('link')),
    'what it leads to': () => {
      rmSync(at('z'))
      mkdirSync(at('z'))
    },
    'none any more': () => rmSync(at('link')),
    'another name for a file': () => linkSync(at('c'), at('old/c')),
    'what is written under it': () => appendFileSync(at('old/c'), '!')
  }
  for (const [name, change] of Object.entries(changes)) {
    const before = seen.signature
    change()
    seen = await list()
    t.not(seen.signature, before, name)
    t.equal(seen.signature, (await listFolder({ territory, path: '.' })).signature, `${name}: as it is`)
  }
  rmSync(at('old'), { recursive: true })
  await list()
  const before = looks()
  await list()
  t.equal(looks(), before, 'and when that is over, nothing is looked at again')
})

t.test('changes and questions in any order never meet an old list', async (t) => {
  const { list, at, territory } = prepared(t)
  const name = fc.constantFrom('a', 'b', 'c', 'd', 'sub')
  await fc.assert(fc.asyncProperty(fc.array(fc.record({ name, to: name, what: fc.constantFrom('write', 'remove', 'rename', 'folder', 'ask') }), { maxLength: 12 }), async (steps) => {
    for (const { name, to, what } of steps) {
      try {
        if (what === 'write') appendFileSync(at(name), 'x')
        else if (what === 'remove') rmSync(at(name), { recursive: true })
        else if (what === 'rename') renameSync(at(name), at(to))
        else if (what === 'folder') mkdirSync(at(name))
        else list().catch(() => {})
      } catch {}
    }
    return (await list()).signature === (await listFolder({ territory, path: '.' })).signature
  }), { numRuns: tries(60) })
  t.pass()
})

t.test('what changes during a look leads to another one', async (t) => {
  const { names, at, during } = prepared(t)
  during.look = async () => {
    during.look = async () => {}
    writeFileSync(at('late'), '')
  }
  t.notOk((await names()).includes('late'))
  t.ok((await names()).includes('late'))
})

t.test('a folder that is replaced, or gone, is not answered for', async (t) => {
  const { names, at, list } = prepared(t)
  t.same(await names('sub'), ['inner'])
  renameSync(at('sub'), at('away'))
  await t.rejects(list('sub'), { message: 'Folder not found' })
  mkdirSync(at('sub'))
  t.same(await names('sub'), [])
  rmSync(at('sub'), { recursive: true })
  symlinkSync('away', at('sub'))
  t.same(await names('sub'), ['inner'])
  rmSync(at('sub'))
  symlinkSync('/etc', at('sub'))
  await t.rejects(list('sub'), { message: 'The path is not in the workspace' })
})

t.test('a look that fails is not kept', async (t) => {
  const { list, during } = prepared(t)
  during.look = async () => { throw new Error('busy') }
  await t.rejects(list(), { message: 'busy' })
  during.look = async () => {}
  t.ok(await list())
})

t.test('what is kept is bounded, and goes with its owner', async (t) => {
  const { list, listings, at, looks } = prepared(t, { folders: 3, listBytes: 2_000 })
  for (let index = 0; index < 8; index++) {
    mkdirSync(at(`f${index}`))
    await list(`f${index}`)
  }
  t.equal(listings.size(), 3)
  for (let index = 0; index < 50; index++) writeFileSync(at(`f7/long-name-${index}`), '')
  await list('f7')
  const before = looks()
  await list('f7')
  t.equal(looks(), before + 1, 'a list that is too long is made each time')
  listings.close()
  t.equal(listings.size(), 0)
  t.ok(await list('f1'), 'and lists are still made afterwards')
  t.equal(listings.size(), 0)
})
