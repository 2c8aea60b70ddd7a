import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { parse } from 'yaml'
import t from '#test'
import { serviceName } from '../../services/ground/process/supervisor.js'
import { start } from '../support/app.js'
import { documents } from '../support/documents.js'

interface Line { at: string, words: string[], text: string }

/** Programs of others, whose options no test knows. */
const foreign = new Set(('apparmor_parser apt-get base64 cat cd chmod chown claude cloudflared cp curl cut dpkg echo field git grep id install ln ls mkdir mktemp nats-server npm ' +
  'ollama openssl printf read rm sed seq sha256sum sleep ssh-keygen ssh-keyscan svc systemd-creds tail then tailscale tar tee umask useradd wait').split(' '))
/** Checked by test/docs/statements.test.ts, as far as they are this project's. */
const checkedElsewhere = new Set(['agent-web-service', 'node', 'npx'])

/** Returns the simple commands of a shell text: what stands between its operators, without assignments, comments and redirections. */
function commandsOf (text: string): string[] {
  return text.replaceAll(/\\\n/g, ' ').replaceAll(/'[^']*'|"(?:\\.|[^"\\])*"/g, (quoted) => quoted.replaceAll(/[\s|&;()#<>]/g, '_'))
    .replaceAll(/(^|\s)#.*/g, '$1').split(/\n|&&|\|\||[|;()]|\$\(/)
    .map((command) => command.trim().replace(/^(?:(?:sudo|exec|export|do)\s+|[A-Za-z_]\w*=\S*\s*)+/, '').replace(/\s*[<>].*$/, '').trim())
    .filter((command) => /^[\w./-]/.test(command) && !/^(?:for|done)\b/.test(command))
}

const blocks = documents().flatMap(({ path, blocks }) => blocks.filter(({ language }) => language === 'bash').map((block) => ({ at: `${path}:${block.line}`, ...block })))
const spans = documents().flatMap(({ path, text }) => [...text.replaceAll(/^```[\s\S]*?^```/gm, '').matchAll(/`((?:sudo )?(?:docker|scripts\/image\.sh|systemctl|loginctl) [^`]+)`/g)]
  .map(([, code = '']) => ({ at: path, code: code.replaceAll('\n', ' ') })))
const lines: Line[] = [...blocks, ...spans].flatMap(({ at, code }) =>
  commandsOf(code).map((text) => ({ at, text, words: text.split(/\s+/).filter((word) => word !== '…') })))
const linesOf = (...program: string[]): Line[] => lines.filter(({ words }) => program.every((word, index) => words[index] === word))

t.test('blocks for the shell are read by it', (t) => {
  for (const { at, code } of blocks) {
    const text = code.replaceAll(/<[\w ]+>/g, 'placeholder')
    try {
      execFileSync('bash', ['-n'], { input: text, stdio: ['pipe', 'ignore', 'pipe'] })
    } catch (error) {
      t.fail(`${at}: ${String(error)}`)
    }
  }
})

t.test('every command of a block is one that a test looks into, or a program of somebody else', (t) => {
  const known = new Set([...foreign, ...checkedElsewhere, 'docker', 'scripts/image.sh', 'systemctl', 'loginctl', 'machinectl'])
  const unknown = blocks.filter(({ mark }) => !mark.startsWith('run')).flatMap(({ at, code }) => commandsOf(code).map((text) => ({ at, program: text.split(/\s/)[0] ?? '' })))
    .filter(({ program }) => !known.has(program.replace(/^.*\/bin\//, '')) && !existsSync(program))
  t.same(unknown, [])
})

t.test('lines for Compose name its files, services, profiles and options', (t) => {
  const options = {
    file: { type: 'string', short: 'f', multiple: true }, profile: { type: 'string', multiple: true }, detach: { type: 'boolean' }, build: { type: 'boolean' },
    rm: { type: 'boolean' }, follow: { type: 'boolean' }
  } as const
  const takesService = new Set(['exec', 'run', 'stop', 'logs', 'cp'])
  const found = linesOf('docker', 'compose')
  for (const { at, text, words } of found) {
    // What follows the name of the service is a command in its container.
    const inside = words.findIndex((word) => ['exec', 'run'].includes(word))
    const end = inside === -1 ? words.length : words.findIndex((word, index) => index > inside && !word.startsWith('-')) + 1
    try {
      const { values: { file = ['docker-compose.yml'], profile = [] }, positionals: [action = 'up', ...rest] } = parseArgs({ args: words.slice(2, end), options, allowPositionals: true })
      const { services } = parse(file.map((name) => readFileSync(name, 'utf8')).at(-1) ?? '') as { services: Record<string, { profiles?: string[] }> }
      t.ok(['up', 'pull', 'build', 'down', ...takesService].includes(action), `${at}: ${text}`)
      for (const name of profile) t.ok(Object.values(services).some(({ profiles = [] }) => profiles.includes(name)), `${at}: the profile ${name}`)
      const [service] = rest.map((word) => word.split(':')[0] ?? '')
      if (takesService.has(action) && service !== undefined) t.ok(service in services, `${at}: the service ${service}`)
    } catch (error) {
      t.fail(`${at}: ${text}: ${String(error)}`)
    }
  }
  t.ok(found.length > 15, `${found.length} lines`)
})

t.test('lines for Docker name the targets and folders of the image, and variables of the service', (t) => {
  const file = readFileSync('Dockerfile', 'utf8')
  for (const { at, text } of [...linesOf('docker', 'build'), ...linesOf('docker', 'buildx')]) {
    for (const [, target] of text.matchAll(/--target (\S+)/g)) t.match(file, ` AS ${target}\n`, at)
  }
  for (const { at, text } of linesOf('docker', 'run').filter(({ text }) => text.includes('agent-web-service'))) {
    for (const [, folder] of text.matchAll(/-v \S+?:(\/\S+)/g)) t.match(/^VOLUME (.*)$/m.exec(file)?.[1], `"${folder}"`, at)
    for (const [, port] of text.matchAll(/-p \S+:(\d+)/g)) t.match(file, port, at)
  }
})

t.test('lines for the image\'s script name its commands, and what it says of itself is what it does', (t) => {
  const script = readFileSync('scripts/image.sh', 'utf8')
  const documented = new Map([...script.matchAll(/^# {3}scripts\/image\.sh (\w+) *((?:\[[^\]]+\] ?)*)/gm)].map(([, name = '', operands = '']) => [name, operands.trim()]))
  const cases = [...(script.split('\ncase ')[1] ?? '').matchAll(/^ {2}(\w+)\)/gm)].map(([, name = '']) => name)
  t.same([...documented.keys()].toSorted(), cases.toSorted())
  const found = linesOf('scripts/image.sh')
  for (const { at, text, words: [, name = '', ...operands] } of found) {
    t.ok(documented.has(name), `${at}: ${text}`)
    t.ok(operands.length <= (documented.get(name)?.split('] ').length ?? 0), `${at}: ${text}`)
  }
  t.ok(found.length > 4, `${found.length} lines`)
  for (const { path, text } of documents()) {
    for (const [, variable = ''] of text.matchAll(/\b(NODE_IMAGE|NODE_EXTRA_CA_CERTS|SVC_IMAGE_TOOL|BUILDAH_ISOLATION|STORAGE_DRIVER|DEBIAN_MIRROR|RELEASE_REPOSITORY)\b/g)) {
      t.ok([script, readFileSync('scripts/release.js', 'utf8')].some((source) => source.includes(variable)), `${path}: ${variable}`)
    }
  }
})

t.test('lines for systemd name the unit that is installed', (t) => {
  for (const { at, text, words } of lines.filter(({ words }) => words[0] === 'systemctl' && !words.includes('nats-server'))) {
    const [action, unit] = words.slice(1).filter((word) => !word.startsWith('-'))
    t.ok(action === 'daemon-reload' || unit === undefined || [serviceName, 'agent-host'].includes(unit), `${at}: ${text}`)
  }
})

t.test('addresses that a block asks are routes', async (t) => {
  const { routes } = await start(t)
  const known = new Set(routes.map(({ method, url }) => `${method} ${url}`))
  const wrong: string[] = []
  let count = 0
  for (const { at, code } of blocks) {
    for (const request of code.replaceAll(/\\\n/g, ' ').split('\n')) {
      const address = /(?:\$base|https:\/\/(?:agent|chat)\.example\.org)(\/[\w./-]+)/.exec(request)?.[1]
      if (address === undefined || !/\b(?:svc|curl)\b/.test(request)) continue
      count++
      const [, named = / (?:-d|--data|-F) /.test(request) ? 'POST' : 'GET'] = /-X (\w+)/.exec(request) ?? []
      if (!known.has(`${named} ${address}`) && !known.has(`${named} ${address.replace(/\/$/, '/:id')}`)) wrong.push(`${at}: ${named} ${address}`)
    }
  }
  t.same(wrong, [])
  t.ok(count > 30, `${count} addresses`)
})
