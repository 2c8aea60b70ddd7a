import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import t from '#test'

interface Problem { message: string }
type Check = (node: { source: { value: string } }) => void
interface Rule { create (context: { cwd: string, filename: string, report (problem: Problem): void }): Record<string, Check> }
interface Rules { rules: Record<'arrow' | 'names', Rule> }

const { default: { rules } } = await import(pathToFileURL(resolve('scripts/rooms.js')).href) as { default: Rules }

/** Returns the names of the import rules that a file breaks with an import. */
function broken (path: string, specifier: string, kind = 'ImportDeclaration'): string[] {
  return found('arrow', path, kind, specifier).map((message) => /\(([\w-]+)\)$/.exec(message)?.[1] ?? message)
}

/** Returns what a rule finds at a node of a file. */
function found (rule: keyof Rules['rules'], path: string, kind: string, specifier = ''): string[] {
  const problems: string[] = []
  const visitor = rules[rule].create({ cwd: process.cwd(), filename: resolve(path), report: ({ message }) => { problems.push(message) } })
  visitor[kind]?.({ source: { value: specifier } })
  return problems
}

t.test('imports go one way: the linter finds those that do not, however they are written', (t) => {
  t.same(broken('services/ground/time/clock.ts', '../../areas/goals/index.js'), ['ground-knows-nobody'])
  t.same(broken('services/ground/time/clock.ts', '../../providers/index.js', 'ImportExpression'), ['ground-knows-nobody'])
  t.same(broken('services/ground/time/clock.ts', '../errors.js'), [])
  t.same(broken('services/agent/index.ts', '../../schemas/goals.js', 'ExportNamedDeclaration'), ['agent-knows-providers'])
  t.same(broken('services/areas/goals/goals.ts', 'fastify'), ['areas-know-no-plugin'])
  t.same(broken('plugins/areas/goals.ts', '../../routes/goals.js'), ['routes-are-leaves'])
  t.same(broken('routes/goals.ts', '../services/areas/goals/index.js'), [])
  t.same(broken('schemas/goals.ts', '../services/ground/time/clock.js'), ['schemas-know-only-schemas'])
})

t.test('an area is known by its index, and by itself', (t) => {
  t.same(broken('services/areas/goals/goals.ts', '../crons/job-rows.js'), ['areas-by-their-index'])
  t.same(broken('services/areas/goals/goals.ts', '../crons/index.js'), [])
  t.same(broken('services/areas/goals/goals.ts', './rows.js'), [])
})

t.test('one word leads to all of an area: the names of its plugins, routes and schemas begin with it', (t) => {
  const bears = (path: string): boolean => found('names', path, 'Program').length === 0
  for (const path of ['plugins/areas/goals.ts', 'plugins/areas/push-digest.ts', 'routes/workspace.ts', 'routes/shared/tagged.ts', 'schemas/shapes.ts']) t.ok(bears(path), path)
  for (const path of ['plugins/areas/watching.ts', 'routes/goal.ts', 'routes/shapes.ts', 'schemas/goalsetting.ts', 'plugins/areas/system.ts']) t.notOk(bears(path), path)
})

t.test('the app is a client, and what it knows is free of how it looks', (t) => {
  t.same(broken('web/src/core/app.ts', '../../../services/ground/time/clock.js'), ['the-app-is-a-client'])
  t.same(broken('web/src/core/app.ts', 'preact/hooks'), ['core-draws-nothing'])
  t.same(broken('web/src/core/app.ts', '@preact/signals-core'), [])
  t.same(broken('web/test/app.test.ts', '#test'), [])
  t.same(broken('formulas/limits.ts', 'node:fs'), ['formulas-know-nobody'])
  t.same(broken('formulas/limits.ts', 'temml'), [])
})
