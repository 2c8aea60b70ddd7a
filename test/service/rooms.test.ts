import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import t from '#test'

interface Problem { message: string }
type Check = (node: { source: { value: string } }) => void
interface Rules { rules: { arrow: { create (context: { cwd: string, filename: string, report (problem: Problem): void }): Record<string, Check> } } }

const { default: { rules } } = await import(pathToFileURL(resolve('scripts/rooms.js')).href) as { default: Rules }

/** Returns the names of the import rules that a file breaks with an import. */
function broken (path: string, specifier: string, kind = 'ImportDeclaration'): string[] {
  const problems: Problem[] = []
  const visitor = rules.arrow.create({ cwd: process.cwd(), filename: resolve(path), report: (problem) => { problems.push(problem) } })
  visitor[kind]?.({ source: { value: specifier } })
  return problems.map(({ message }) => /\(([\w-]+)\)$/.exec(message)?.[1] ?? message)
}

t.test('imports go one way: the linter finds those that do not, however they are written', (t) => {
  t.same(broken('services/ground/clock.ts', '../areas/goals/index.js'), ['ground-knows-nobody'])
  t.same(broken('services/ground/clock.ts', '../providers/index.js', 'ImportExpression'), ['ground-knows-nobody'])
  t.same(broken('services/ground/clock.ts', './errors.js'), [])
  t.same(broken('services/agent/index.ts', '../../schemas/goals.js', 'ExportNamedDeclaration'), ['agent-knows-providers'])
  t.same(broken('services/areas/goals/goals.ts', 'fastify'), ['areas-know-no-plugin'])
  t.same(broken('plugins/areas/goals.ts', '../../routes/goals.js'), ['routes-are-leaves'])
  t.same(broken('routes/goals.ts', '../services/areas/goals/index.js'), [])
  t.same(broken('schemas/goals.ts', '../services/ground/clock.js'), ['schemas-know-only-schemas'])
})

t.test('an area is known by its index, and by itself', (t) => {
  t.same(broken('services/areas/goals/goals.ts', '../crons/job-rows.js'), ['areas-by-their-index'])
  t.same(broken('services/areas/goals/goals.ts', '../crons/index.js'), [])
  t.same(broken('services/areas/goals/goals.ts', './rows.js'), [])
})

t.test('the app is a client, and what it knows is free of how it looks', (t) => {
  t.same(broken('web/src/core/app.ts', '../../../services/ground/clock.js'), ['the-app-is-a-client'])
  t.same(broken('web/src/core/app.ts', 'preact/hooks'), ['core-draws-nothing'])
  t.same(broken('web/src/core/app.ts', '@preact/signals-core'), [])
  t.same(broken('web/test/app.test.ts', '#test'), [])
  t.same(broken('formulas/limits.ts', 'node:fs'), ['formulas-know-nobody'])
  t.same(broken('formulas/limits.ts', 'temml'), [])
})
