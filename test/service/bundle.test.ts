import { isAscii } from 'node:buffer'
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '#test'
import { asset } from '../../services/ground/assets.js'
import { start } from '../support/app.js'
import { builtFolder } from '../support/built.js'

const chunks = join(builtFolder(), 'chunks/')
const required: Record<string, string[]> = JSON.parse(readFileSync(join(chunks, 'required.json'), 'utf8'))
/** The service loads the rest of itself once it listens. */
const rest = /\bimportFile\("\.\/(app-[^"]+\.js)"\)/

/** Returns what the service, or another program, loads before it listens: everything imported without `import()`, from its entry on. */
const loadedFirst = (entry: string): Map<string, string> => follow(entry, () => [])

/** Returns what it loads at its start. */
const loadedAtStart = (entry = 'server.js'): Map<string, string> =>
  follow(entry, (text) => rest.exec(text.replaceAll('\\\n', ''))?.slice(1) ?? [])

function follow (entry: string, later: (text: string) => string[]): Map<string, string> {
  const texts = new Map<string, string>()
  const waiting = [/load\("chunks\/([^"]+)"\)/.exec(readFileSync(`${chunks}../${entry}`, 'utf8'))![1]!]
  for (const name of waiting) {
    if (texts.has(name)) continue
    const text = readFileSync(chunks + name, 'utf8')
    texts.set(name, text)
    waiting.push(...required[name]!, ...later(text))
  }
  return texts
}

t.test('a service that does not use them loads nothing of other machines, agents of other makers, model providers and metrics', async (t) => {
  const texts = [...loadedAtStart().values()]
  t.ok(texts.some((text) => text.includes('node_modules/fastify/')), 'what it cannot do without is found')
  for (const name of ['@nats-io/', '@agentclientprotocol/', '@modelcontextprotocol/server', '@ai-sdk/anthropic', '@ai-sdk/openai', '@prometheus-io/', '@opentelemetry/']) {
    t.same(texts.flatMap((text) => text.match(new RegExp(`node_modules/${name}\\S*`))?.[0] ?? []), [], name)
  }
})

t.test('before it listens, the service loads only what that takes', async (t) => {
  const text = [...loadedFirst('server.js').values()].join('\n')
  t.match(text, 'wal_autocheckpoint', 'the database is there')
  for (const words of ['node_modules/fastify/', 'avvio', 'block-map', 'git-upload-pack', 'An AI agent behind HTTP']) t.notOk(text.includes(words), words)
  t.ok(text.length < 1_000_000)
})

t.test('neither the service nor a host loads what makes traces, where nobody asks for them', async (t) => {
  for (const entry of ['server.js', 'services/agent/host/main.js']) {
    const text = [...loadedAtStart(entry).values()].join('\n')
    for (const words of ['Traces can be sent again', 'application/x-protobuf', 'parentbased_traceidratio', 'invoke_agent', 'takes no traces at this address']) t.notOk(text.includes(words), `${entry}: ${words}`)
  }
  const all = readdirSync(chunks).filter((name) => name.endsWith('.js')).map((name) => readFileSync(chunks + name, 'utf8')).join('\n')
  t.ok(all.includes('Traces can be sent again') && all.includes('invoke_agent'), 'what is looked for is there')
})

t.test('the engine needs one byte for each character of what it loads', async (t) => {
  t.same(readdirSync(chunks).filter((name) => !isAscii(readFileSync(chunks + name))), [])
})

t.test('under a Node that is too old it says so in a sentence, and nothing else', async (t) => {
  const pretend = (version: string): string => `Object.defineProperty(process.versions, 'node', { value: '${version}' })`
  for (const program of ['server', 'backup', 'restore']) {
    for (const version of ['20.20.2', '22.13.1']) {
      const script = `${pretend(version)}; require(${JSON.stringify(join(asset('dist'), `${program}.js`))})`
      const { status, stdout, stderr } = spawnSync(process.execPath, ['--input-type=commonjs', '--eval', script], { encoding: 'utf8' })
      t.same([status, stdout, stderr], [1, '', `This needs Node.js 22.14 or newer, but was started with ${version}. Install a newer one (https://nodejs.org); in a clone, npm start uses the one that npm ci has brought.\n`], `${program} with ${version}`)
    }
  }
  for (const script of ['build', 'test', 'lint']) {
    const { status, stdout, stderr } = spawnSync(process.execPath, ['--import', `data:text/javascript,${pretend('18.20.8')}`, `scripts/${script}.js`], { encoding: 'utf8' })
    t.match({ status, stdout, stderr }, { status: 1, stdout: '', stderr: /^This needs Node\.js 22\.14 or newer, but was started with 18\.20\.8\. .*\n$/ }, script)
  }
})

t.test('a start compiles no functions from text: the changes to packages are in the bundles of the tests, too', async (t) => {
  const compiled: unknown[][] = []
  const own = Function
  t.teardown(() => { globalThis.Function = own })
  globalThis.Function = new Proxy(own, {
    construct (target, parts, made) {
      compiled.push(parts)
      return Reflect.construct(target, parts, made) as object
    }
  })
  await start(t)
  t.same(compiled, [])
})
