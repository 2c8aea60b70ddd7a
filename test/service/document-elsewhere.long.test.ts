import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import t from '#test'
import { typescriptTypes } from '../../scripts/typescript-types.js'
import { problemsIn } from '../support/compiler.js'
import { temporaryFolder } from '../support/folder.js'
import { fetched, withoutRegistry } from '../support/registry.js'

/** The parts of `@redocly/openapi-core` that are used. */
interface Redocly {
  createConfig (config: { extends: string[], rules: Record<string, string> }): Promise<object>
  lintFromString (asked: { source: string, absoluteRef: string, config: object }): Promise<Array<{ ruleId: string, message: string }>>
}

// Programs of others that read the document: not installed with the service, because they are a tenth of all its packages.
const skip = withoutRegistry()
const stored = readFileSync('docs/openapi.json', 'utf8')
const folder = temporaryFolder(t, 'elsewhere')
writeFileSync(join(folder, 'package.json'), '{"type": "module"}')

t.test('the document passes the recommended rules of Redocly without an error or a warning', { skip }, async (t) => {
  const { createConfig, lintFromString } = fetched(folder, '@redocly/openapi-core@1.34.24')('@redocly/openapi-core') as Redocly
  // Two routes only redirect a browser.
  const config = await createConfig({ extends: ['recommended'], rules: { 'operation-2xx-response': 'off' } })
  const lint = async (source: string): Promise<string[]> =>
    (await lintFromString({ source, absoluteRef: resolve('docs/openapi.json'), config })).map(({ ruleId, message }) => `${ruleId}: ${message}`)
  t.same(await lint(stored), [])
  t.match(await lint(stored.replace('"operationId": "getHealth",', '')), [/operationId/], 'and the rules are applied')
  t.match(await lint(stored.replace('"code": "7KQ4N-2XWRD",', '')), [/example/i], 'to examples as well')
})

t.test('a client that another generator makes of it compiles under strict', { skip }, async (t) => {
  const generator = dirname(fetched(folder, 'openapi-typescript@7.13.0', 'typescript@5.9.3').resolve('openapi-typescript/package.json'))
  execFileSync(process.execPath, [join(generator, 'bin/cli.js'), resolve('docs/openapi.json'), '--output', join(folder, 'api.ts')], { stdio: ['ignore', 'ignore', 'inherit'] })
  /** Returns the compiler's messages about a program that uses the types. */
  const problems = (code: string): string[] => {
    writeFileSync(join(folder, 'client.ts'), `import { type paths, type components } from './api.js'\n${code}\n`)
    return problemsIn(folder, {
      compilerOptions: { strict: true, noEmit: true, exactOptionalPropertyTypes: true, target: 'ES2022', module: 'NodeNext', types: [] }, include: ['client.ts']
    })
  }
  const event = "export function text (event: components['schemas']['ChatEvent']): string {\n  switch (event.event) {\n"
  t.same(problems(`${event}    case 'token': return event.data.text
    case 'done': return 'usage' in event.data ? String(event.data.usage?.output_tokens) : ''
    case 'goal': return event.data.goal.status
    default: return event.event
  }
}
type Row = paths['/api/sessions']['get']['responses'][200]['content']['application/json']['sessions'][number]
export const model = (row: Row): string | null => row.model
export const called = (message: components['schemas']['Message']): string | undefined => message.tool_calls?.[0]?.function?.name ?? message.name
export function heard (event: components['schemas']['FeedEvent']): string {
  if (event.event === 'conversation' && event.data.event === 'bg_task_complete') return event.data.data.task_id
  return event.event === 'turn' && event.data.event === 'token' ? event.data.data.text : ''
}
export const running = (body: paths['/api/chat/start']['post']['responses'][409]['content']['application/json']): string | null | undefined => body.active_stream_id`), [])
  t.match(problems(`${event}    case 'token': return event.data.words\n    default: return ''\n  }\n}`), [/words/], 'and knows what there is not')
})

t.test('the types that the clients here are made of are those of that generator', { skip }, async (t) => {
  writeFileSync(join(folder, 'own.d.ts'), typescriptTypes(stored))
  writeFileSync(join(folder, 'client.ts'), `import { type components, type paths, type operations } from './api.js'
import * as own from './own.js'
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends (<T>() => T extends B ? 1 : 2) ? true : false
type Different<A, B> = { [Key in keyof A | keyof B]: Key extends keyof A & keyof B ? Same<A[Key], B[Key]> extends true ? never : Key : Key }[keyof A | keyof B]
type None<Keys extends never> = Keys
export type Schemas = None<Different<components['schemas'], own.components['schemas']>>
export type Answers = None<Different<components['responses'], own.components['responses']>>
export type Operations = None<Different<operations, own.operations>>
export type Paths = None<Different<paths, own.paths>>
// @ts-expect-error: what differs is found
export type Differing = None<Different<{ a: 1, b: { c?: string } }, { a: 1, b: { c: string } }>>
`)
  t.same(problemsIn(folder, { compilerOptions: { strict: true, noEmit: true, exactOptionalPropertyTypes: true, target: 'ES2022', module: 'NodeNext', types: [] }, include: ['client.ts'] }), [])
})
