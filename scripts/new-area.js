// Creates an area: `npm run new-area -- notes` writes its schemas, service, plugin, routes and test, small and working, and registers them
// in app.ts. docs/development.md describes the next steps.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

const [name = ''] = process.argv.slice(2)
const files = /^[a-z]{2,30}$/.test(name) ? filesOf(name, name[0].toUpperCase() + name.slice(1)) : {}
const taken = Object.keys(files).filter((path) => existsSync(path))

if (Object.keys(files).length === 0) fail('usage: npm run new-area -- <name>, one word of small letters')
else if (taken.length > 0) fail(`There is ${taken.join(', ')} already`)
else {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
  }
  writeFileSync('app.ts', registered(readFileSync('app.ts', 'utf8')))
  console.log(
    `Written: ${Object.keys(files).join(', ')}; registered in app.ts. Next: npm run openapi, npm run test:only -- test/${name}/${name}.test.ts.` +
    ' Say in test/audit/routes.test.ts what is recorded of its routes.'
  )
}

function fail (text) {
  console.error(text)
  process.exitCode = 1
}

/** Registers the plugin after those that it depends on, and the routes below. */
function registered (text) {
  const [plugins, routes] = [
    "import approvalRoutes from './routes/prompts.js'\n", "import { type Clock } from './services/ground/time/clock.js'\n"
  ]
  const [lastPlugin, lastRoutes] = ['  await app.register(recovery)\n', '  await app.register(budgetRoutes)\n']
  for (const place of [
    plugins, routes, lastPlugin, lastRoutes
  ]) if (!text.includes(place)) throw new Error(`app.ts has no line ${place.trim()}`)
  return text.replace(plugins, `import ${name} from './plugins/areas/${name}.js'\n${plugins}`)
    .replace(routes, `import ${name}Routes from './routes/${name}.js'\n${routes}`)
    .replace(lastPlugin, `  await app.register(${name})\n${lastPlugin}`)
    .replace(lastRoutes, `${lastRoutes}  await app.register(${name}Routes)\n`)
}

function filesOf (area, Area) {
  return {
    [`schemas/${area}.ts`]: `import { Type } from '@sinclair/typebox'
import { Closed, Seconds } from './common.js'

export const ${Area} = Closed({ text: Type.String(), updated_at: Seconds('epoch seconds; 0 = never') }, { title: '${Area}' })
export const Save${Area} = Type.Object({ text: Type.String({ maxLength: 10_000 }) })
`,
    [`services/areas/${area}/${area}.ts`]: `import { type Static } from '@sinclair/typebox'
import { type ${Area} as ${Area}Schema } from '../../../schemas/${area}.js'
import { epochSeconds, type Clock } from '../../ground/time/clock.js'
import { createValues, type Database } from '../../ground/database/index.js'

interface Kept { text: string, updatedAtS: number }

/** A single text. An area with rows gets a table and rows.ts instead of a value. */
export function create${Area} ({ db, clock }: { db: Database, clock: Clock }) {
  const values = createValues(db.sqlite)

  return {
    read: (): Kept => values.get('${area}') as Kept | undefined ?? { text: '', updatedAtS: 0 },

    async save (text: string): Promise<Kept> {
      const kept = { text, updatedAtS: epochSeconds(clock) }
      await db.durably(() => values.set('${area}', kept, kept.updatedAtS))
      return kept
    }
  }
}

export type ${Area} = ReturnType<typeof create${Area}>

export function ${area}ToWire ({ text, updatedAtS }: Kept): Static<typeof ${Area}Schema> {
  return { text, updated_at: updatedAtS }
}
`,
    [`services/areas/${area}/index.ts`]: `export { create${Area}, ${area}ToWire, type ${Area} } from './${area}.js'
`,
    [`plugins/areas/${area}.ts`]: `import { type FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { create${Area}, type ${Area} } from '../../services/areas/${area}/index.js'

declare module 'fastify' {
  interface FastifyInstance { ${area}: ${Area} }
}

/** What the area is. */
export default fp(async (app: FastifyInstance) => {
  const { db, clock } = app
  app.decorate('${area}', create${Area}({ db, clock }))
}, { name: '${area}', dependencies: ['database'] })
`,
    [`routes/${area}.ts`]: `import { type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { ${area}ToWire } from '../services/areas/${area}/index.js'
import { errors } from '../schemas/common.js'
import { ${Area}, Save${Area} } from '../schemas/${area}.js'
import { tagged } from './shared/tagged.js'

const plugin: FastifyPluginAsyncTypebox = async (app) => {
  app.addHook('onRoute', tagged('${area}'))
  const { ${area} } = app

  app.get('/api/${area}', {
    config: { scope: 'read' },
    schema: { summary: 'What is kept', description: 'Empty if nothing was saved.', response: { 200: ${Area} } }
  }, async () => ${area}ToWire(${area}.read()))

  app.post('/api/${area}/save', {
    config: { scope: 'admin' },
    schema: {
      summary: 'Keep another text',
      description: 'Replaces what was kept.',
      body: Save${Area},
      response: { 200: ${Area}, ...errors(400) }
    }
  }, async ({ body }) => ${area}ToWire(await ${area}.save(body.text)))
}
export default plugin
`,
    [`test/${area}/${area}.test.ts`]: `import t from '#test'
import { start } from '../support/app.js'

t.test('what is saved is there', async (t) => {
  const service = await start(t)
  t.same((await service.get('/api/${area}')).body, { text: '', updated_at: 0 })
  t.match(await service.post('/api/${area}/save', { text: 'Hello' }), { status: 200, body: { text: 'Hello', updated_at: Number } })
  t.match((await service.get('/api/${area}')).body, { text: 'Hello' })
  t.match(await service.post('/api/${area}/save', {}), { status: 400 })
})
`
  }
}
