import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from '#test'
import { Accepted, keepListing, keepWait } from '../../services/agent/mcp/kept-listings.js'
import { writeOutput } from '../../services/areas/crons/output.js'
import { systemClock } from '../../services/ground/time/clock.js'
import { editConfigFile } from '../../services/ground/home/config-edit.js'
import { setEnvVariable } from '../../services/ground/home/env-file.js'
import { readDocument, writeDocument } from '../../services/areas/memory/documents.js'
import { removeSecrets } from '../../services/areas/profiles/deleted-home.js'
import { OwnSkills } from '../../services/areas/skills/own-skills.js'
import { SkillUsage } from '../../services/areas/skills/usage.js'
import { start } from '../support/app.js'

const newFolder = (): string => mkdtempSync(join(tmpdir(), 'deleted-homes-'))

t.test('nothing that is written late brings the home of a deleted profile back', async (t) => {
  const profiles = newFolder()
  const home = join(profiles, 'work')
  const usage = new SkillUsage({ clock: systemClock, log: () => {} })
  usage.note(home, 'some-skill', 'use')
  const listing = { definitions: [], leftOut: [], resources: false, prompts: false }
  const writes: Record<string, () => Promise<unknown>> = {
    usage: async () => await usage.flush(),
    'a list of tools': async () => await keepListing(home, 'docs', 'x', listing as unknown as Parameters<typeof keepListing>[3], 0),
    'a wait': async () => await keepWait(home, 'docs', 'x'),
    'a tool that is allowed': async () => await new Accepted(home).note('mcp:docs:a', 'x', true),
    'MEMORY.md': async () => await writeDocument(readDocument(home, 'memory'), 'notes'),
    'SOUL.md': async () => await writeDocument(readDocument(home, 'soul'), 'me'),
    'a skill': async () => await new OwnSkills().write(home, 'a-skill', 'text'),
    'config.yaml': async () => await editConfigFile(join(home, 'config.yaml'), (config) => config.set(['a'], 1)),
    '.env': async () => await setEnvVariable(join(home, '.env'), 'A', 'b'),
    'the output of a job': async () => await writeOutput(home, '0123456789ab', { text: 'x', atMs: 0, zone: 'UTC', keep: 1 })
  }
  for (const [what, write] of Object.entries(writes)) {
    await write().catch(() => {})
    t.same(readdirSync(profiles), [], what)
  }
  await t.rejects(writeDocument(readDocument(home, 'memory'), 'notes'), { name: 'NotFound', message: 'Profile not found' })
  await t.rejects(new OwnSkills().write(home, 'a-skill', 'text'), { name: 'NotFound' })
  mkdirSync(home)
  for (const [what, write] of Object.entries(writes)) await t.resolves(write(), `${what} is written where the home is there`)
  t.equal(readFileSync(join(home, 'memories/MEMORY.md'), 'utf8'), 'notes')
})

const secrets = ['key-of-openai-1', 'header-of-docs-1', 'variable-of-run-1', 'key-of-speech-1', 'hunter22pass', 'sk-proj-abcdefgh12345678ijkl']
const written = `# sk-proj-abcdefgh12345678ijkl was the one before
model:
  default: m-1 # the good one
  api_key: key-of-openai-1
custom_providers:
  - name: Lab
    base_url: http://me:hunter22pass@127.0.0.1:9/v1
    key_env: LAB_API_KEY
stt: {api_key: "key-of-speech-1", model: large}
mcp_servers:
  docs:
    url: https://example.org/mcp
    headers: {X-Any: header-of-docs-1}
  run:
    command: run-it
    env:
      ANY: variable-of-run-1
agent:
  personalities:
    pirate: Arr
`

t.test('a deleted profile keeps what its owner may want back, and no secret', async (t) => {
  const service = await start(t)
  await service.post('/api/profile/create', { name: 'work' })
  const home = join(service.folder, 'home/profiles/work')
  writeFileSync(join(home, '.env'), 'OPENAI_API_KEY=key-of-openai-1\n')
  writeFileSync(join(home, '.config.yaml.0123456789ab.tmp'), written)
  writeFileSync(join(home, 'config.yaml'), written)
  mkdirSync(join(home, 'webui_state'), { recursive: true })
  writeFileSync(join(home, 'webui_state/config.last-good.yaml'), written)
  writeFileSync(join(home, 'SOUL.md'), 'me')
  t.equal((await service.post('/api/profile/delete', { name: 'work' })).status, 200)

  const aside = join(service.folder, 'home/profiles/.deleted')
  const kept = join(aside, readdirSync(aside)[0]!)
  for (const name of readdirSync(kept, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))) {
    const text = readFileSync(name, 'utf8')
    for (const secret of secrets) t.notMatch(text, secret, `${secret} in ${name.slice(kept.length)}`)
  }
  t.notOk(existsSync(join(kept, '.env')))
  const left = readFileSync(join(kept, 'config.yaml'), 'utf8')
  for (const text of ['default: m-1 # the good one', 'name: Lab', 'key_env: LAB_API_KEY', 'command: run-it', 'pirate: Arr', 'model: large']) t.ok(left.includes(text), text)
  t.equal(readFileSync(join(kept, 'SOUL.md'), 'utf8'), 'me')
})

t.test('secrets of a file that does not parse go with it; what a link leads to stays; once more changes nothing', async (t) => {
  const home = newFolder()
  writeFileSync(join(home, 'config.yaml'), 'model: {api_key: key-of-openai-1\n')
  await removeSecrets(home)
  t.notOk(existsSync(join(home, 'config.yaml')))

  const elsewhere = join(newFolder(), 'mine.yaml')
  writeFileSync(elsewhere, written)
  symlinkSync(elsewhere, join(home, 'config.yaml'))
  await removeSecrets(home)
  t.equal(readFileSync(elsewhere, 'utf8'), written)

  const other = newFolder()
  writeFileSync(join(other, 'config.yaml'), 'base: &base\n  api_key: &key key-of-openai-1\n  model: m\nvision: *base\nother: {api_key: *key, x: 1}\n')
  await removeSecrets(other)
  const first = readFileSync(join(other, 'config.yaml'), 'utf8')
  t.notMatch(first, 'key-of-openai')
  t.match(first, 'model: m')
  await removeSecrets(other)
  t.equal(readFileSync(join(other, 'config.yaml'), 'utf8'), first)
})

t.test('what a deletion that was cut off has left is cleared at the next start', async (t) => {
  const folder = newFolder()
  const left = join(folder, 'home/profiles/.deleted/work-1700000000000')
  mkdirSync(left, { recursive: true })
  const recent = join(folder, `home/profiles/.deleted/work-${Date.now()}`)
  mkdirSync(recent)
  writeFileSync(join(recent, '.env'), 'A_TOKEN=key-of-openai-1\n')
  writeFileSync(join(recent, 'config.yaml'), written)
  const service = await start(t, { folder })
  const isClean = (): boolean => !existsSync(join(recent, '.env')) && !readFileSync(join(recent, 'config.yaml'), 'utf8').includes('key-of-openai-1')
  for (let tries = 0; tries < 600 && (!isClean() || existsSync(left)); tries++) await service.get('/health')
  t.ok(isClean())
  t.notOk(existsSync(left))
})
