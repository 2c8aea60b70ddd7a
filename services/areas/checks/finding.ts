import { type Static } from '@sinclair/typebox'
import { type CheckKind } from '../../../schemas/checks.js'
import { fieldsOf } from '../../ground/fields.js'
import { parseJson } from '../../ground/text/parse-json.js'

/** A command that files of a folder offer as a check. */
export interface Proposal {
  name: string
  kind: Static<typeof CheckKind>
  command: string
  /** The file that it was found in. */
  file: string
  /** What the file makes it run, if that is more than the command says; null if not. */
  script: string | null
}

/** Reads a file of the folder by its name; null if it does not exist, or is not a readable text. */
export type ReadProjectFile = (name: string) => Promise<string | null>

const mostProposals = 20
const mostScriptChars = 4_000
const kinds: Array<[Proposal['kind'], RegExp]> = [
  ['test', /^(?:test|tests|unit|pytest|spec)(?:[:_-](?:unit|ci|all|quick))?$/],
  ['lint', /^(?:lint|eslint|oxlint|stylelint|ruff|clippy)(?:[:_-](?:js|ts|css|check|code|all|ci))?$/],
  ['types', /^(?:typecheck|type-check|type_check|types|tsc|check-types|check_types|check:types|mypy|pyright|vet)$/],
  ['other', /^(?:check|verify|validate|format:check|fmt:check|format-check|check:format|prettier:check)$/]
]
const kindOf = (name: string): Proposal['kind'] | null => kinds.find(([, pattern]) => pattern.test(name.toLowerCase()))?.[0] ?? null
const cut = (script: string): string => script.trim().slice(0, mostScriptChars)

/** Finds the checks that a folder offers, by usual conventions; runs none of them. Throws the errors of `read`. */
export async function proposalsIn (read: ReadProjectFile): Promise<Proposal[]> {
  const found = await Promise.all([ofPackage(read), ofMakefile(read), ofPython(read), ofCargo(read), ofGo(read), ofDeno(read)])
  return found.flat().slice(0, mostProposals)
}

async function ofPackage (read: ReadProjectFile): Promise<Proposal[]> {
  const scripts = Object.entries(fieldsOf(fieldsOf(parseJson(await read('package.json') ?? ''))['scripts']))
    .flatMap(([name, script]) => typeof script === 'string' ? [[name, script] as const] : [])
  const wanted = scripts.filter(([name, script]) => kindOf(name) !== null && !/no test specified/.test(script))
  if (wanted.length === 0) return []
  const manager = await managerOf(read)
  return wanted.map(([name]) => ({
    name, kind: kindOf(name) ?? 'other', file: 'package.json',
    command: /^[\w:-]+$/.test(name) ? `${manager} run ${name}` : `${manager} run '${name.replaceAll("'", "'\\''")}'`,
    // Scripts that run before and after it are part of it.
    script: cut([`pre${name}`, name, `post${name}`].flatMap((part) =>
      scripts.filter(([other]) => other === part).map(([, script]) => part === name ? script : `${part}: ${script}`)).join('\n'))
  }))
}

async function managerOf (read: ReadProjectFile): Promise<string> {
  for (const [lock, manager] of [['pnpm-lock.yaml', 'pnpm'], ['yarn.lock', 'yarn'], ['bun.lock', 'bun'], ['bun.lockb', 'bun']] as const) {
    if (await read(lock) !== null) return manager
  }
  return 'npm'
}

async function ofMakefile (read: ReadProjectFile): Promise<Proposal[]> {
  for (const file of ['GNUmakefile', 'makefile', 'Makefile']) {
    const lines = (await read(file))?.split('\n')
    if (lines === undefined) continue
    return lines.flatMap((line, at) => {
      const [, name = ''] = /^([\w:-]+)\s*:(?![=:])/.exec(line) ?? []
      const kind = kindOf(name)
      if (kind === null) return []
      const next = lines.findIndex((below, index) => index > at && !/^(?:\t|\s*$|\s*#)/.test(below))
      return [{ name, kind, command: `make ${name}`, file, script: cut(lines.slice(at, next === -1 ? undefined : next).join('\n')) }]
    })
  }
  return []
}

async function ofPython (read: ReadProjectFile): Promise<Proposal[]> {
  const text = await read('pyproject.toml')
  if (text === null) return []
  const has = (table: string): boolean => text.split('\n').some((line) => line.startsWith(`[tool.${table}]`) || line.startsWith(`[tool.${table}.`))
  const programs: Array<[table: string, kind: Proposal['kind'], command: string]> = [
    ['pytest', 'test', 'python3 -m pytest'], ['ruff', 'lint', 'ruff check --output-format=concise .'], ['mypy', 'types', 'mypy .'], ['pyright', 'types', 'pyright']
  ]
  return programs.filter(([table]) => has(table)).map(([name, kind, command]) => ({ name, kind, command, file: 'pyproject.toml', script: null }))
}

async function ofCargo (read: ReadProjectFile): Promise<Proposal[]> {
  if (await read('Cargo.toml') === null) return []
  return [
    { name: 'test', kind: 'test', command: 'cargo test', file: 'Cargo.toml', script: null },
    { name: 'clippy', kind: 'lint', command: 'cargo clippy', file: 'Cargo.toml', script: null }
  ]
}

async function ofGo (read: ReadProjectFile): Promise<Proposal[]> {
  if (await read('go.mod') === null) return []
  return [
    { name: 'test', kind: 'test', command: 'go test ./...', file: 'go.mod', script: null },
    { name: 'vet', kind: 'lint', command: 'go vet ./...', file: 'go.mod', script: null }
  ]
}

async function ofDeno (read: ReadProjectFile): Promise<Proposal[]> {
  const text = await read('deno.json')
  if (text === null) return []
  const tasks = Object.entries(fieldsOf(fieldsOf(parseJson(text))['tasks'])).flatMap(([name, task]) => {
    const kind = kindOf(name)
    return kind === null || !/^[\w:-]+$/.test(name)
      ? []
      : [{ name, kind, command: `deno task ${name}`, file: 'deno.json', script: cut(typeof task === 'string' ? task : JSON.stringify(task)) }]
  })
  return tasks.length > 0 ? tasks : [{ name: 'test', kind: 'test', command: 'deno test', file: 'deno.json', script: null }]
}
